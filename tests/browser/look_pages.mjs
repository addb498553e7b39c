// What was wrong to the eye: what is cut, what stands too low, names that only programs know, and
// colours that mean another thing.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, daemon, newContext, open, run, until} from './fixture.mjs';

const GAME = '1-0-0'; // of the match of the fixture
const REVIEW = {game: GAME, judge: 'rink:opponent=best,simulations=200', throws: 64, threads: 2};
const WIDE = {viewport: {width: 1440, height: 900}, reducedMotion: 'reduce'};
let made = null;

/** A quick review of a game; made once for all tests. */
function review() {
  made ??= daemon.work('review', REVIEW);
  return made;
}

/** Tables that can only be read by scrolling sideways. */
const cutTables = page =>
  page.evaluate(() =>
    [...document.querySelectorAll('main .scroll')]
      .filter(one => one.scrollWidth > one.clientWidth + 1)
      .map(one => one.innerText),
  );

const topOf = async (page, name) =>
  (await page.getByRole('heading', {name, exact: true}).boundingBox()).y;

/** The cells of the column with this head, in the table after the heading. */
const cellsOf = (page, head) =>
  page.locator(`td[data-head="${head}"]`).filter({visible: true}).allTextContents();

test('the result of a job stands first, whole, and in the units of people', async () => {
  const {id, result} = await review();
  const page = await open(`#/job/${id}`, WIDE);
  await page.getByRole('heading', {name: 'Result', exact: true}).waitFor();
  assert.ok((await topOf(page, 'Result')) < (await topOf(page, 'What was asked')));
  assert.deepEqual(await cutTables(page), []);
  const [worst] = result.key;
  assert.equal((await cellsOf(page, 'calls that cost most: end'))[0], `${worst.end + 1}`);
  assert.equal((await cellsOf(page, 'shot'))[0], `${worst.shot + 1}`);
  const lost = await cellsOf(page, 'chance of winning lost');
  assert.equal(lost[0], `${(100 * worst.call.win).toFixed(2)} %`);
  const [interval] = await cellsOf(page, '95 % interval');
  assert.match(interval, /^−?\d+\.\d\d to \d+\.\d\d %$/);
  await page.setViewportSize({width: 390, height: 844});
  assert.equal((await cellsOf(page, 'called'))[0], worst.called.kind);
  await page.setViewportSize(WIDE.viewport);
  await page.getByRole('link', {name: 'Open the review'}).click();
  await page.waitForURL(/#\/review\//);
  const save = await page.getByRole('button', {name: 'Save the report'}).boundingBox();
  assert.ok(save.y < 300, `what to do with a review stands ${save.y} pixels down`);
  assert.deepEqual(await cutTables(page), []);
  await close(page);
});

const STONES = 'stones0=1_0.25_35.4*2_-0.35_38.1*3_0.9_38.9&stones1=1_-0.9_36.1*2_0.5_39.1';

test('an answer is read without scrolling sideways, and the ice stays where it is', async () => {
  const page = await open(`#/board?profile=dc3&ends=8&end=0&shot=11&${STONES}`, WIDE);
  await page.getByText('Shot 12:').waitFor();
  const ice = () => page.locator('.sheet').boundingBox();
  const before = await ice();
  await page.getByLabel('Seconds to think').fill('1');
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('heading', {name: 'Best shots', exact: true}).waitFor();
  await page.getByRole('button', {name: 'Ask for the best shot'}).waitFor();
  assert.deepEqual(await cutTables(page), []);
  await page.evaluate(() => scrollTo(0, 0));
  assert.deepEqual(await ice(), before);
  await page.setViewportSize({width: 390, height: 844});
  const box = async label => (await page.getByLabel(label, {exact: true}).boundingBox()).y;
  assert.equal(await box('End'), await box('Next shot (1 to 16)'), 'short fields stand in pairs');
  await close(page);
});

test('a player that only knows how likely its shots are shows that alone', async () => {
  const page = await open('#/board?profile=dc2&player=nfsp', {reducedMotion: 'reduce'});
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('columnheader', {name: 'Prior'}).waitFor();
  const heads = await page.locator('.tight th').allTextContents();
  assert.deepEqual(heads, ['Shot', 'Prior']);
  const cells = await page.locator('.tight td').allTextContents();
  assert.deepEqual(
    cells.filter(text => text.trim() === '–'),
    [],
  );
  await close(page);
});

test('plus and minus have no colour of a team', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByLabel('Seconds to think').fill('0.2');
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.locator('.distribution rect.minus').first().waitFor();
  const {bars, teams} = await page.evaluate(() => {
    const colours = (selector, name) =>
      [...document.querySelectorAll(selector)].map(one => getComputedStyle(one)[name]);
    return {
      bars: [...new Set(colours('.distribution rect', 'fill'))],
      teams: [...new Set(colours('.key', 'backgroundColor'))],
    };
  });
  assert.equal(bars.length, 2);
  assert.equal(teams.length, 2);
  assert.deepEqual(
    bars.filter(colour => teams.includes(colour)),
    [],
  );
  await close(page);
});

test('a player with settings is read in its field', async () => {
  const page = await open('#/new/match', WIDE);
  const field = page.getByLabel('player a *', {exact: true});
  await field.fill('rink:opponent=best,simulations=20000,objective=score');
  const cut = await field.evaluate(one => one.scrollWidth - one.clientWidth);
  assert.ok(cut <= 0, `${cut} pixels of it are cut`);
  await close(page);
});

test('no help of a form is a tower of words', async () => {
  const page = await open('#/new/train', WIDE);
  await page.getByText('neural fictitious self-play').waitFor();
  const heights = await page.evaluate(() =>
    [...document.querySelectorAll('form .help')].map(one => one.getBoundingClientRect().height),
  );
  assert.ok(Math.max(...heights) < 100, `${Math.max(...heights)} pixels of help`);
  assert.equal(await page.locator('legend', {hasText: /^ *network/}).count(), 0);
  await close(page);
});

test('a part that runs is not leased, also not on the page of its job', async () => {
  const page = await open('#/nowhere');
  const part = {number: 1, state: 'leased', node: null, seconds: null, merged: false, error: null};
  const tries = [{node: '', state: 'leased'}];
  await page.route(/\/v1\/jobs\/1\/tasks/, route =>
    route.fulfill({json: {items: [{...part, tries}], next_cursor: null}}),
  );
  await page.goto(`${daemon.url}/#/job/1`);
  await page.getByRole('region', {name: 'parts'}).getByText('running').waitFor();
  assert.equal(await page.getByText('leased', {exact: true}).filter({visible: true}).count(), 0);
  await close(page);
});

test('a seed that has measured nothing has not begun', async () => {
  const page = await open('#/nowhere');
  const [one] = (await daemon.get('/v1/runs?limit=1')).items;
  await page.route(/\/v1\/runs\?/, route =>
    route.fulfill({
      json: {items: [{...one, state: 'leased', metrics: [], last_values: {}}], next_cursor: null},
    }),
  );
  await page.goto(`${daemon.url}/#/runs`);
  await page.locator('.state', {hasText: 'not begun'}).waitFor();
  await close(page);
});

test('a measurement of exploitability tells whose seat is meant', async () => {
  const page = await open('#/nowhere');
  const points = {points: 1.25, standard_error: 0.1};
  const item = {job: 1, name: 'random', sente: points, gote: points, sum: points};
  await page.route(/\/v1\/exploitability/, route =>
    route.fulfill({json: {items: [item], next_cursor: null}}),
  );
  await page.goto(`${daemon.url}/#/ladder/dc3`);
  await page.getByRole('columnheader', {name: 'Player throws first'}).waitFor();
  await page.getByRole('columnheader', {name: 'Player has the hammer'}).waitFor();
  await page.getByText('by the seat of the player').waitFor();
  await close(page);
});

test('figures have a minus, odds are words, curves have no names of programs', async () => {
  const page = await open('#/games/1');
  await page.locator('.end').first().waitFor();
  const ends = await page.locator('.end').allTextContents();
  assert.ok(
    ends.some(text => /−\d/.test(text)),
    ends.join(),
  );
  assert.deepEqual(
    ends.filter(text => text.includes('-')),
    [],
  );
  await page.goto(`${daemon.url}/#/hand?game=${GAME}`);
  await page.getByRole('columnheader', {name: 'Against a normal hand'}).waitFor();
  await page.getByText('even', {exact: true}).first().waitFor();
  assert.equal(await page.getByText('10^').count(), 0);
  await page.goto(`${daemon.url}/#/runs`);
  await page.getByLabel('Value of').selectOption('search_throws_per_s');
  await page.getByRole('columnheader', {name: 'Throws of the search'}).waitFor();
  await page.goto(`${daemon.url}/#/run/${run}`);
  await page.getByRole('heading', {name: 'Settings'}).waitFor();
  await until(async () => (await page.locator('.loading').count()) === 0, 'all cards');
  assert.equal(await page.getByRole('heading', {name: 'Checkpoints'}).count(), 0);
  await close(page);
});

// Each page that shows data of the service, with what it shows of a refusal.
const ADDRESSES = {
  ...{
    overview: '',
    runs: 'runs',
    run: `run/1`,
    job: 'job/1',
    form: 'new/match',
    ladder: 'ladder/dc3',
  },
  ...{board: 'board', games: 'games', match: 'games/1', game: `games/1/${GAME}`},
  ...{hand: `hand?game=${GAME}`, library: 'library', position: 'library/1', nodes: 'nodes'},
  ...{review: 'review/1', reproduction: 'reproduction'},
};

test('a refusal without a reason ends without a colon', async () => {
  const page = await open('#/nowhere');
  await page.route('**/v1/runs?*', route =>
    route.fulfill({status: 504, json: {title: 'Not in time', status: 504}}),
  );
  await page.goto(`${daemon.url}/#/runs`);
  assert.equal((await page.getByRole('alert').innerText()).trim(), 'Not in time');
  await close(page);
});

test('a refusal is told once, and nothing says that it still loads', async () => {
  const context = await newContext(WIDE);
  for (const [name, address] of Object.entries(ADDRESSES)) {
    const page = await open('#/nowhere', {context});
    const problem = {title: 'Service Unavailable', detail: 'the disk is full', status: 503};
    await page.route('**/v1/**', route => route.fulfill({status: 503, json: problem}));
    await page.goto(`${daemon.url}/#/${address}`);
    await page.getByText('the disk is full').first().waitFor();
    const waits = page.locator('.loading').filter({visible: true});
    await until(async () => (await waits.count()) === 0, `${name} to say nothing of loading`);
    assert.equal(await page.getByText('the disk is full').filter({visible: true}).count(), 1, name);
    assert.equal(await page.locator('h1').count(), 1, name);
    await page.close();
  }
  await context.close();
});

test('the overview loads of a review what it tells', async () => {
  const {id} = await review();
  const page = await open('#/nowhere');
  const loaded = [];
  page.on('response', async answer => {
    if (answer.url().includes(`/v1/jobs/${id}`)) loaded.push((await answer.text()).length);
  });
  await page.goto(`${daemon.url}/#/`);
  await page
    .getByText(/\d+ mistakes? by red, \d+ by yellow/)
    .first()
    .waitFor();
  await until(() => loaded.length, 'the job');
  assert.ok(loaded[0] < 6000, `${loaded[0]} bytes`);
  await close(page);
});

test('the overview counts the jobs that lists show', async () => {
  const done = async kind =>
    (await daemon.get(`/v1/jobs?state=done&limit=200${kind}`)).items.length;
  await until(() => done('&kind=rate'), 'a ladder');
  const page = await open('#/');
  const tile = page.locator('.tile', {hasText: 'done'}).locator('b');
  await until(async () => /\d/.test(await tile.textContent()), 'the number of jobs');
  assert.equal(Number(await tile.textContent()), await done(''));
  await close(page);
});

test('what players do first comes first in the header', async () => {
  const page = await open('#/');
  await page.locator('nav a').first().waitFor();
  const names = await page.locator('nav a').allTextContents();
  const jobs = names.indexOf('Runs');
  for (const name of ['Board', 'Games', 'Library', 'Ladder'])
    assert.ok(names.indexOf(name) >= 0 && names.indexOf(name) < jobs, names.join());
  await close(page);
});
