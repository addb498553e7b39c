// Reviews of games: asked for on the page of a game, looked at, and saved as a report.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {close, daemon, faultsOf, match, newContext, open, until} from './fixture.mjs';

const GAME = '1-0-0'; // of the match of the fixture
const SPEC = {game: GAME, judge: 'rink:opponent=best,simulations=600', throws: 128, threads: 2};
let made = null;

/** A quick review of a game; made once for all tests. */
function review() {
  made ??= daemon.work('review', SPEC);
  return made;
}

test('a game is reviewed from its page', async () => {
  const page = await open(`#/games/1/${GAME}`, {reducedMotion: 'reduce'});
  await page.route('**/v1/jobs', route =>
    route.request().method() === 'POST'
      ? route.continue({postData: JSON.stringify({kind: 'review', spec: SPEC})})
      : route.continue(),
  );
  await page.getByRole('button', {name: 'Review this game'}).click();
  await page.waitForURL(/#\/review\/\d+/);
  await page.getByRole('heading', {name: 'Chance of red to win'}).waitFor();
  await close(page);
});

test('a review shows what each call and throw cost, and goes to a shot by a click', async () => {
  const {id, result} = await review();
  const page = await open(`#/review/${id}`, {reducedMotion: 'reduce'});
  await page.getByRole('heading', {name: 'Shots', exact: true}).waitFor();
  const off = result.sums.imbalance;
  assert.ok(Math.abs(off.win) < 1e-9 && Math.abs(off.points) < 1e-9);
  const [worst] = result.key;
  const name = ({end, shot}) => `End ${end + 1}, shot ${shot + 1}`;
  await page.getByRole('heading', {name: name(worst), exact: true}).waitFor();
  await page.locator('.sheet .path.better').waitFor();
  const rows = page.getByRole('row').filter({has: page.getByRole('button', {name: /^end \d/})});
  // At first there are only mistakes.
  assert.equal(await rows.count(), result.shots.filter(({mistake}) => mistake).length);
  await page.getByLabel('only mistakes').uncheck();
  assert.equal(await rows.count(), result.shots.length);
  assert.match(await rows.first().textContent(), new RegExp(name(worst), 'i'));
  await page.getByLabel('side of the shots').selectOption('team1');
  assert.equal(await rows.count(), result.shots.filter(({team}) => team === 'team1').length);
  await page.getByLabel('only mistakes').check();
  const mistakes = result.shots.filter(({team, mistake}) => team === 'team1' && mistake);
  assert.equal(await rows.count(), mistakes.length);
  await page.locator('.values').click({position: {x: 2, y: 60}});
  await page.getByRole('heading', {name: 'End 1, shot 1', exact: true}).waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await close(page);
});

test('the better shot of a review is drawn from the hand that throws it', async () => {
  const {id, result} = await review();
  const page = await open(`#/review/${id}`, {reducedMotion: 'reduce'});
  await page.getByLabel('only mistakes').uncheck();
  const HOG_LINE_Y = 11;
  const own = result.shots.filter(({best, team}) => best && team === 'team1');
  assert.ok(own.length > 0);
  for (const {end, shot} of own) {
    const name = `End ${end + 1}, shot ${shot + 1}`;
    await page.getByRole('button', {name: new RegExp(`^${name}$`, 'i')}).click();
    await page.getByRole('heading', {name, exact: true}).waitFor();
    const better = page.locator('.sheet .path.better');
    await better.waitFor();
    const y = await better.evaluate(line => -line.points[0].y);
    assert.ok(y < HOG_LINE_Y, `${name}: it begins at ${y}`);
  }
  await close(page);
});

test('a review tells points in place of chances if asked to', async () => {
  const {id, result} = await review();
  const page = await open(`#/review/${id}`, {reducedMotion: 'reduce'});
  const costs = page.locator('.split td.number').nth(3); // of the call
  assert.match(await costs.innerText(), /^−\d+\.\d( ± \d+\.\d)? %/);
  await page.getByLabel('Figures in').selectOption('points');
  const [worst] = result.key;
  const words = `${worst.call.points > 0 ? '−' : '+'}${Math.abs(worst.call.points).toFixed(2)}`;
  await until(async () => (await costs.innerText()).startsWith(words), words);
  const value = worst.values.called.points.toFixed(2).replace('-', '−');
  assert.equal(await page.locator('.split td.number').nth(2).innerText(), value);
  const lead = result.sums.result.points.toFixed(2).replace('-', '−');
  const said = page.locator('dt', {hasText: 'lead of red'}).locator('+ dd');
  assert.equal(await said.innerText(), lead);
  assert.deepEqual(await faultsOf(page), []);
  await close(page);
});

test('the report needs nothing else and prints on two pages', async () => {
  const {id} = await review();
  const page = await open(`#/review/${id}`, {reducedMotion: 'reduce'});
  const saving = page.waitForEvent('download');
  await page.getByRole('button', {name: 'Save the report'}).click();
  const file = `${process.env.RINKD_TEST_WORK}/report.html`;
  writeFileSync(file, readFileSync(await (await saving).path()));
  const context = await newContext({javaScriptEnabled: false, offline: true});
  const report = await context.newPage();
  const asked = [];
  report.on('request', request => asked.push(request.url()));
  await report.goto(`file://${file}`);
  await report.getByRole('heading', {name: 'The calls that cost most'}).waitFor();
  assert.equal(await report.locator('figure').count(), 5);
  assert.deepEqual(asked, [`file://${file}`]);
  const pdf = (await report.pdf({preferCSSPageSize: true})).toString('latin1');
  assert.equal(pdf.match(/\/Type\s*\/Page[^s]/g).length, 2);
  await context.close();
  await close(page);
});

test('a job that is no review says so', async () => {
  const page = await open(`#/review/${match.id}`);
  await page.getByRole('alert').getByText('No review').waitFor();
  const answer = await fetch(`${daemon.url}/v1/reviews/${match.id}.html`);
  assert.equal(answer.status, 404);
  await close(page);
});
