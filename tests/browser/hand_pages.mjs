// The hand of a thrower: estimated from shots or a game, compared, and used on the board.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, daemon, faultsOf, open} from './fixture.mjs';

const GAME = '1-0-0'; // of the match of the fixture
const SHOTS = 60;
const CALLED = {velocity: {x: 0.13, y: 2.39}, rotation: 'ccw'};

/** Throws about a called draw: every tenth is far off. */
function throwsOf(count) {
  return Array.from({length: count}, (_, k) => {
    const size = k % 10 === 9 ? 6 : 0.7;
    const [x, y] = [Math.cos(2.4 * k), Math.sin(2.4 * k)].map(one => one * size);
    const velocity = {x: 0.13 + 0.0043 * x, y: 2.39 + 0.0076 * y};
    return {called: CALLED, thrown: {velocity, rotation: 'ccw'}, kind: 'draw'};
  });
}

const textOf = list => list.map(one => JSON.stringify(one)).join('\n');
const estimate = page => page.getByRole('button', {name: 'Estimate the hand'}).click();

test('pasted shots give a hand, compared with others, that the board throws with', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByRole('link', {name: 'Estimate a hand from its throws'}).click();
  await page.getByText('The hand appears here.').waitFor();
  await page.getByLabel('shots', {exact: true}).fill(textOf(throwsOf(SHOTS)));
  await estimate(page);
  await page.getByRole('heading', {name: `The hand of ${SHOTS} shots`}).waitFor();
  await page.getByText('Shown: a hand with bad misses').waitFor();
  assert.equal(await page.getByRole('button', {name: /^show the hand/}).count(), 4);
  assert.equal(await page.locator('.error-plot .draw').count(), SHOTS);
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole('button', {name: 'show the hand normal', exact: true}).click();
  await page.getByText('Shown: a hand normal').waitFor();
  await page.getByRole('button', {name: 'show the hand with bad misses', exact: true}).click();
  await page.getByRole('link', {name: 'Use this hand on the board'}).click();
  await page.getByText('A hand of your own throws').waitFor();
  await page.getByText('Errors of the hand').click();
  const freedom = Number(await page.getByLabel('Degrees of freedom').inputValue());
  assert.ok(freedom >= 2.5 && freedom < 8, `${freedom} degrees of freedom`);
  assert.deepEqual(await faultsOf(page), []);
  const sent = page.waitForRequest(/\/v1\/shots$/);
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  assert.equal((await sent).postDataJSON().noise.degrees_of_freedom, freedom);
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  await page.reload();
  await page.getByText('A hand of your own throws').waitFor();
  await page.getByRole('button', {name: 'Take the usual hand'}).click();
  await page.getByText('The usual hand of the profile').waitFor();
  assert.doesNotMatch(page.url(), /hand=/);
  await close(page);
});

test('the hand of a game of the service is found from its page', async () => {
  const page = await open(`#/games/1/${GAME}`, {reducedMotion: 'reduce'});
  await page.getByRole('link', {name: 'the hand of its throws'}).click();
  await page.getByRole('heading', {name: 'The hand of 32 shots'}).waitFor();
  await page.getByLabel('Throws of').selectOption('team1');
  await page.getByRole('button', {name: 'Estimate its hand'}).click();
  await page.getByRole('heading', {name: 'The hand of 16 shots'}).waitFor();
  await close(page);
});

test('a file is read; what cannot be read is told by line or by field', async () => {
  const page = await open('#/hand', {reducedMotion: 'reduce'});
  const record = await (
    await fetch(`${daemon.url}/v1/games/${GAME}`, {headers: {Accept: 'application/x-ndjson'}})
  ).text();
  await page.locator('input[type=file]').setInputFiles({
    name: 'game.jsonl',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(record),
  });
  await page.waitForFunction(() => document.querySelector('textarea').value.length > 1000);
  await estimate(page);
  await page.getByRole('heading', {name: 'The hand of 32 shots'}).waitFor();
  const area = page.getByLabel('shots', {exact: true});
  await area.fill(`${textOf(throwsOf(6))}\n{"called":`);
  await estimate(page);
  await page.getByText('Line 7 cannot be read').waitFor();
  await area.fill(textOf(throwsOf(4)));
  await estimate(page);
  await page.getByText('These are 4 shots').waitFor();
  await area.fill(textOf([...throwsOf(6), {called: CALLED, rest: {x: 0, y: -5}}]));
  await estimate(page);
  await page.locator('.field-error', {hasText: /^\/shots\/6\/rest: /}).waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await close(page);
});
