// The library, puzzles, words with their explanations, scoreboards.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, daemon, faultsOf, match, open} from './fixture.mjs';

const STATE = {
  end: 1,
  shot: 15,
  hammer: 'team1',
  scores: {team0: [1], team1: [0]},
  stones: {team0: [{position: {x: 0.1, y: 38.2}}], team1: []},
};
const POSITION = {profile: 'dc3', state: STATE, setting: {max_end: 2}};

const keep = more => daemon.post('/v1/library', {title: 'The last stone', ...POSITION, ...more});

test('a position is kept from the board, found by its tag, and opened again', async () => {
  const page = await open('#/board?profile=dc3&ends=2&end=1&shot=15&score0=1&stones0=1_0.1_38.2');
  await page.getByText('Keep this position in the library').click();
  await page.getByLabel('Title').fill('Hit it');
  await page.getByLabel('Tags').fill('last stone, hit');
  await page.getByLabel('Note').fill('One is enough.');
  await page.getByRole('button', {name: 'Keep it'}).click();
  await page.getByText('Kept:').waitFor();
  await page.goto(`${daemon.url}/#/library`);
  await page.getByRole('link', {name: 'last stone'}).click();
  await page.getByText('with the tag').waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole('link', {name: 'Hit it', exact: true}).click();
  await page.getByText('One is enough.').waitFor();
  await page.getByRole('link', {name: 'Open on the board'}).click();
  await page.getByText('Shot 16: yellow throws. Red lies 1.').waitFor();
  const {items} = await daemon.get('/v1/library');
  assert.deepEqual(items[0].tags, ['last stone', 'hit']);
  assert.equal(items[0].setting.max_end, 2);
  await close(page);
});

test('a puzzle hides its best shot, and judges the one that is thrown', async () => {
  const best = {velocity: {x: -0.103697041, y: 2.52706013}, rotation: 'cw'};
  const {id} = await keep({puzzle: true, best});
  const page = await open(`#/library/${id}`, {reducedMotion: 'reduce'});
  await page.getByRole('heading', {name: 'Your shot'}).waitFor();
  assert.equal(await page.locator('.sheet .path').count(), 0);
  assert.deepEqual(await faultsOf(page), []);
  await page.getByLabel('Metres behind the tee').fill('-3');
  await page.keyboard.press('Enter');
  await page.getByText('Aimed at').waitFor();
  await page.getByRole('button', {name: 'Throw', exact: true}).click();
  await page.getByText(/There is a better one: yours gives away \d+\.\d % of the game/).waitFor();
  assert.equal(await page.locator('.sheet .path.better').count(), 1);
  assert.equal(await page.locator('tbody tr').filter({hasText: 'yours'}).count(), 1);
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole('button', {name: 'Try again'}).click();
  assert.equal(await page.locator('.sheet .path').count(), 0);
  await page.getByRole('button', {name: 'Delete'}).click();
  await page.getByRole('button', {name: 'Delete it for good'}).click();
  await page.waitForURL(/#\/library$/);
  assert.equal((await fetch(`${daemon.url}/v1/library/${id}`)).status, 404);
  await close(page);
});

test('a word explains itself to pointer and keys, and leads to all of them', async () => {
  const page = await open('#/games');
  const word = page.getByRole('button', {name: 'Share of the first'});
  await word.hover();
  const meaning = page.locator('.meaning');
  await meaning.getByText('half of those drawn').waitFor();
  await page.keyboard.press('Escape');
  await meaning.waitFor({state: 'detached'});
  await page.mouse.move(0, 0);
  await word.focus();
  await meaning.waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/glossary\/share%20of%20points/);
  const asked = page.locator('dt[aria-current]');
  assert.equal(await asked.textContent(), 'share of points');
  assert.deepEqual(await faultsOf(page), []);
  await close(page);
});

test('each word that a form can ask about is in the glossary', async () => {
  const page = await open('#/new/match');
  const words = page.locator('form .term > button');
  await words.first().waitFor();
  const count = await words.count();
  assert.ok(count > 3, `${count} words`);
  for (let k = 0; k < count; k++) {
    await words.nth(k).focus();
    await page.locator('.meaning').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.meaning').waitFor({state: 'detached'});
  }
  await close(page);
});

test('a scoreboard tells ends, hammer and sums', async () => {
  const page = await open(
    '#/board?profile=dc3&ends=8&end=2&shot=0&hammer=team1&score0=2_0&score1=0_3',
  );
  const row = team => page.locator('.scoreboard tbody tr').filter({hasText: team});
  await row('red').waitFor();
  const cells = async team => (await row(team).locator('td').allTextContents()).join(' ').trim();
  assert.match(await cells('red'), /^2 0 +2$/);
  assert.match(await cells('yellow'), /^0 3 +3$/);
  assert.equal(await row('yellow').getByRole('img', {name: 'has the hammer'}).count(), 1);
  assert.equal(await row('red').getByRole('img').count(), 0);
  assert.match(await page.locator('.scoreboard .now').getAttribute('aria-label'), /^end 3, now$/);
  await page.goto(`${daemon.url}/#/games/${match.id}/${match.id}-0-0`);
  await page.locator('.scoreboard').getByText('ai-simple').waitFor();
  await close(page);
});
