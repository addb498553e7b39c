// Jobs: the form of a new one, its result, and lists of jobs that change.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, daemon, match, open, showJob} from './fixture.mjs';

test('the form of a training shows the fields that its choices need', async () => {
  const page = await open('#/new/train');
  await page.getByText('It would take').waitFor();
  await page.getByLabel('algorithm', {exact: true}).selectOption('ppo');
  await page.getByLabel('train opponents', {exact: true}).waitFor();
  await page.getByRole('checkbox', {name: 'hyper'}).check();
  await page.getByLabel('clip ratio', {exact: true}).fill('7');
  await page.getByText('7 is not in').waitFor();
  await page.getByLabel('algorithm', {exact: true}).selectOption('dqn');
  assert.equal(await page.getByLabel('clip ratio', {exact: true}).count(), 0);
  await page.getByRole('checkbox', {name: 'network'}).check();
  assert.equal(await page.getByLabel('channels', {exact: true}).count(), 0);
  await page.getByLabel('architecture', {exact: true}).selectOption('conv7');
  await page.getByLabel('channels', {exact: true}).waitFor();
  assert.equal(await page.getByLabel('hidden', {exact: true}).count(), 0);
  await page.getByLabel('seeds', {exact: true}).fill('1, 1');
  await page.getByText('is in the list already').waitFor();
  await close(page);
});

test('errors stand at their fields; a corrected job starts', async () => {
  const page = await open('#/new/match');
  await page.getByLabel('player a *', {exact: true}).fill('ai-simple');
  await page.getByLabel('player b *', {exact: true}).fill('no-such-player');
  await page.getByLabel('pairs', {exact: true}).fill('0');
  await page.getByText('0 is not in 1..10000000').waitFor();
  assert.equal(await page.getByLabel('pairs', {exact: true}).getAttribute('aria-invalid'), 'true');
  await page.getByLabel('pairs', {exact: true}).fill('1');
  await page.getByLabel('player b *', {exact: true}).fill('random');
  await page.getByText('It would take').waitFor();
  await page.getByRole('button', {name: 'Start the job'}).click();
  await page.waitForURL(/#\/job\/\d+/);
  await page.locator('.state.done').waitFor();
  await close(page);
});

/** Opens the page of the job `match`, with changes in what the service says about it. */
async function openOther(changes) {
  const page = await open('#/');
  await showJob(page, {...match, ...changes});
  await page.goto(`${daemon.url}/#/job/${match.id}`);
  return page;
}

test('an open interval is written in words', async () => {
  const won = {win_percent: 95, elo: 500, elo_interval: [120.4, null]};
  const page = await openOther({result: {...match.result, ...won}});
  await page.getByText('+500.00 Elo (120.4 or more)').waitFor();
  await close(page);
});

test('a mean is written with its error', async () => {
  const mean = points => ({points, standard_error: 0.1});
  const page = await openOther({
    kind: 'exploitability',
    spec: {player: 'random', profile: 'dc2', ends: 2},
    result: {player: 'random', sente: mean(6.5), gote: mean(4), nash_conv: mean(10.5)},
  });
  await page.getByText('10.50 ± 0.20 points/end').waitFor();
  await close(page);
});

test('what a training measured is told in words, with its interval', async () => {
  const judged = {'win_rate/random': 50, 'win_rate_low/random': 10, 'win_rate_high/random': 90};
  const page = await openOther({
    kind: 'train',
    spec: {algorithm: 'nfsp', profile: 'dc2', seeds: [1]},
    result: {runs: [{seed: 1, ends: 200, judged}]},
  });
  await page.getByText('win rate: random 50 (10 to 90)', {exact: true}).waitFor();
  await close(page);
});

test('points of an end stand with their error, in one table', async () => {
  const page = await openOther({});
  const {points_per_end: points, standard_error: error} = match.result.a.ends.gote;
  const words = `${points.toFixed(2)} ± ${(1.96 * error).toFixed(2)} points/end`;
  await page.getByText(words.replace('-', '−')).first().waitFor();
  assert.equal(await page.getByRole('columnheader', {name: '±'}).count(), 0);
  await close(page);
});

/** Opens the overview as if the newest finished job were still unknown: {page, row: the link of the
 * job before it, newest: its link, release(): lets it appear above the row}. */
async function openBeforeNewest() {
  const jobs = (await daemon.get('/v1/jobs?state=done&limit=2')).items;
  const page = await open('#/nowhere');
  const address = '**/v1/jobs?state=done*';
  await page.route(address, async route => {
    const list = await (await route.fetch()).json();
    await route.fulfill({json: {...list, items: list.items.filter(({id}) => id !== jobs[0].id)}});
  });
  await page.goto(`${daemon.url}/#/`);
  const [newest, row] = jobs.map(({id}) => page.locator(`section.card td a[href="#/job/${id}"]`));
  await row.waitFor();
  const release = async () => {
    const arrives = page.waitForResponse(response =>
      response.url().includes(`/v1/jobs/${jobs[0].id}?`),
    );
    await page.unroute(address);
    await arrives;
  };
  return {page, row, newest, release};
}

test('a row keeps its elements when another one appears above it', async () => {
  const {page, row, release, newest} = await openBeforeNewest();
  const element = await row.elementHandle();
  const address = await element.getAttribute('href');
  await release();
  await newest.waitFor();
  assert.equal(await element.evaluate(link => link.isConnected), true);
  assert.equal(await element.getAttribute('href'), address);
  await close(page);
});

test('a click counts even if the list changes while the button is down', async () => {
  const {page, row, release, newest} = await openBeforeNewest();
  const address = await row.getAttribute('href');
  const box = await row.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await release();
  await page.evaluate(() => new Promise(done => window.requestAnimationFrame(done)));
  assert.equal(await newest.count(), 0, 'the list waits');
  await page.mouse.up();
  await page.waitForURL(url => url.hash === address);
  await close(page);
});

test('a question before a job ends names what its buttons do and goes with the page', async () => {
  const {id} = await daemon.post('/v1/jobs', {kind: 'diagnose', spec: {seconds: 300}});
  const page = await open(`#/job/${id}`);
  await page.getByRole('button', {name: 'Cancel'}).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', {name: 'Let it go on'}).waitFor();
  await page.evaluate(address => {
    window.location.hash = address;
  }, `#/job/${match.id}`);
  await page.getByRole('heading', {name: `Match ${match.id}`}).waitFor();
  assert.equal(await dialog.count(), 0);
  await page.goBack();
  await page.getByRole('button', {name: 'Cancel'}).click();
  await dialog.getByRole('button', {name: 'End the job'}).click();
  await page.locator('.state.cancelled').waitFor();
  await close(page);
});

test('a sequential test says what it found, while it runs and at its end', async () => {
  const sprt = {elo0: 0, elo1: 400};
  const spec = {a: 'ai-simple', b: 'random', profile: 'dc2', ends: 1, pairs: 100000, sprt};
  const {id} = await daemon.work('match', spec);
  const page = await open(`#/job/${id}`);
  const verdict = page.locator('b', {hasText: /a is better: after \d+ pairs .* upper bound/});
  await verdict.waitFor();
  await page.getByText('log-likelihood ratio', {exact: true}).waitFor();
  await close(page);
  const running = {
    ...match,
    state: 'leased',
    spec: {...spec, sprt: {...sprt, values: 'plain'}},
    result: {pairs: 7, pairs_wanted: 100, sprt: {...sprt, reading: 'not decided yet: after 7'}},
  };
  const other = await openOther(running);
  await other.locator('b', {hasText: 'not decided yet: after 7'}).waitFor();
  await close(other);
});
