// The dashboard as a user meets it: chromium against the real daemon.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {after, before, test} from 'node:test';
import {chromium} from 'playwright-core';
import {Daemon} from './daemon.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = process.env.RINKD_PICTURES;
const daemon = new Daemon('data');
let browser, match, run;

before(async () => {
  await daemon.start();
  match = await daemon.work('match', {a: 'ai-simple', b: 'dc3-rulebased', profile: 'dc3', pairs: 2, ends: 2, seed: 1});
  run = (await daemon.work('diagnose', {seconds: 2})).runs[0];
  browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});
});
after(async () => {
  await browser?.close();
  await daemon.stop();
});

/** A page that fails the test when a script breaks or the content policy is offended. */
async function open(address, options = {}) {
  const context = options.context ?? await newContext(options);
  const page = await context.newPage();
  page.broken = [];
  page.on('pageerror', error => page.broken.push(error.message));
  page.on('console', message => /Content Security Policy/.test(message.text()) && page.broken.push(message.text()));
  page.setDefaultTimeout(20000);
  await page.goto(`${options.url ?? daemon.url}/${address}`);
  return page;
}
async function close(page) {
  assert.deepEqual(page.broken, []);
  await page.context().close();
}
const newContext = options => browser.newContext({viewport: {width: 1280, height: 800}, ...options});

/** Clicks until the address is that one: a list that is drawn anew under the pointer swallows a click. */
async function follow(page, link, address) {
  while (!address.test(page.url()))
    await link.click().then(() => page.waitForURL(address, {timeout: 2000})).catch(error => error.name === 'TimeoutError' ? null : Promise.reject(error));
}

/** What axe-core finds against it: names, roles, order, contrast. */
async function faultsOf(page, rules) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(runOnly => window.axe.run(document, {resultTypes: ['violations'], ...(runOnly ? {runOnly} : {})}), rules);
  return violations.flatMap(({id, help, nodes}) => nodes.map(node => `${id}: ${help}: ${node.html}`));
}

const pages = {
  overview: ['#/', 'Recent results'], job: ['#/job/1', 'share of points'], runs: ['#/runs', 'Show together'], new: ['#/new/match', 'Pairs of games'], training: ['#/new/train', 'It would take'],
  ladder: ['#/ladder/dc3', 'Rated'], board: ['#/board', 'Nobody counts'], games: ['#/games', 'ai-simple – dc3-rulebased'], match: ['#/games/1', '1-0-0'],
  game: ['#/games/1/1-0-0', 'End 1, shot 1'],
};

// What is narrow and dark differs from the others to the eye alone.
for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], ...pictures ? [[390, 'dark']] : []])
  test(`every page shows what it has, for everybody, at ${width} pixels, ${scheme}`, async () => {
    const context = await newContext({viewport: {width, height: 844}, colorScheme: scheme, reducedMotion: 'reduce'});
    for (const [name, [address, text]] of Object.entries({...pages, run: [`#/run/${run}`, 'throws_per_s']})) {
      const page = await open(address, {context});
      await page.getByText(text).first().waitFor();
      if (name === 'run' && await page.locator('html').getAttribute('data-charts') !== 'none')
        await page.locator('canvas').first().waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, `${name} is wider than the window`);
      assert.equal(await page.locator('h1').count(), 1);
      if (width === 1280)
        assert.deepEqual(await faultsOf(page, scheme === 'dark' ? ['color-contrast'] : null), [], name);
      if (pictures) {
        mkdirSync(pictures, {recursive: true});
        await page.locator('.loading').first().waitFor({state: 'detached'});
        await page.screenshot({path: `${pictures}/${name}-${width}-${scheme}.png`, fullPage: true});
      }
      assert.deepEqual(page.broken, []);
      await page.close();
    }
    await context.close();
  });

test('a run is drawn while it goes on, without a reload', async () => {
  const page = await open('#/');
  const {id, runs} = await daemon.post('/v1/jobs', {kind: 'diagnose', spec: {seconds: 60}});
  await page.getByRole('link', {name: `diagnose ${id}`}).waitFor();
  await page.evaluate(() => { window.isSame = true; });
  await follow(page, page.getByRole('link', {name: `diagnose ${id}`}), /#\/job\//);
  await page.waitForFunction(() => document.querySelector('progress')?.value > 0);
  await page.getByRole('link', {name: 'Curves'}).click();
  await page.getByRole('heading', {name: 'throws_per_s', exact: true}).waitFor();
  const steps = async () => (await daemon.get(`/v1/runs/${runs[0]}/metrics?names=throws_per_s`)).curves[0].points.length;
  const had = await steps();
  while (await steps() < had + 2)
    await page.waitForTimeout(200);
  await page.goto(`${daemon.url}/#/job/${id}`);
  await page.getByRole('button', {name: 'Cancel'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Cancel'}).click();
  await page.locator('.state.cancelled').waitFor();
  await page.getByLabel('the last lines of the worker').waitFor();
  assert.equal(await page.evaluate(() => window.isSame), true);
  await close(page);
});

// All that makes a training small.
const tiny = {network: {architecture: 'mlp', hidden: [8]}, hyper: {candidates: 0, parallel: 4, batch: 16, warm_up: 32, response_memory: 2000, average_memory: 2000},
  evaluate_every: 100, evaluate_pairs: 1, checkpoint_every: 50};
const chartsShown = async page => await page.locator('html').getAttribute('data-charts') !== 'none';

test('a training is watched, paused, resumed, and its policy asked', async () => {
  const page = await open('#/');
  const {id, runs} = await daemon.post('/v1/jobs', {kind: 'train', spec: {...tiny, iterations: 20000}});
  await follow(page, page.getByRole('link', {name: `train ${id}`}), /#\/job\//);
  await follow(page, page.getByRole('link', {name: 'Curves'}), /#\/run\//);
  if (await chartsShown(page))
    for (const title of ['win_rate', 'loss', 'ends_per_s'])
      await page.getByRole('heading', {name: title, exact: true}).waitFor();
  await page.getByLabel('Against').selectOption('cpu');
  if (await chartsShown(page))
    await page.locator('.u-legend').getByText('CPU seconds').first().waitFor();
  await page.getByRole('button', {name: 'Pause'}).click();
  await page.locator('.state.paused').waitFor();
  await page.getByRole('button', {name: 'Resume'}).click();
  await page.locator('.state.leased').waitFor();
  await page.getByRole('link', {name: 'Ask this player'}).first().click();
  assert.match(await page.getByLabel('Player').inputValue(), new RegExp(`^${runs[0]}\\.`));
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  await page.goto(`${daemon.url}/#/run/${runs[0]}`);
  await page.getByRole('button', {name: 'Cancel'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Cancel'}).click();
  await page.locator('.state.cancelled').waitFor();
  await close(page);
});

test('seeds are drawn one by one and as their mean; one is branched from', async () => {
  const job = await daemon.work('train', {...tiny, iterations: 200, seeds: [1, 2, 3]});
  assert.equal(job.state, 'done');
  const page = await open(`#/job/${job.id}`), asked = [];
  page.on('request', request => /metrics.query/.test(request.url()) && asked.push(request.postDataJSON()));
  await page.getByRole('link', {name: 'Curves'}).click();
  const mean = page.getByRole('button', {name: 'Mean over runs'});
  assert.equal(await mean.getAttribute('aria-pressed'), 'true');
  if (await chartsShown(page)) {
    const rate = page.locator('section[aria-label="curve of win_rate/ai-simple"]');
    await rate.getByText('mean win_rate/ai-simple').waitFor();
    assert.deepEqual(asked.filter(body => body.aggregate !== 'mean'), []);
    assert.equal(await page.getByLabel('Against').locator('option[value=time]').evaluate(option => option.disabled), true, 'runs share no time of day');
    await mean.click();
    await rate.getByText(/seed 3/).first().waitFor();

    // What is out of sight is asked for when it is looked at, and no more points than there is room for.
    const names = () => new Set(asked.flatMap(body => body.names)), last = page.locator('section[aria-label="curve of cpu_s"]');
    assert.ok(names().has('win_rate/ai-simple') && !names().has('cpu_s'));
    await last.scrollIntoViewIfNeeded();
    await last.locator('.u-legend').waitFor();
    assert.ok(names().has('cpu_s'));
    const {width} = await last.locator('.chart').boundingBox();
    assert.deepEqual(asked.filter(body => !(body.max_points <= width)), []);

    // A part of the axis is asked for again, finer; twice clicked, all of it.
    const asks = wanted => page.waitForRequest(request => /metrics.query/.test(request.url()) && wanted(request.postDataJSON()));
    const query = asks(body => body.from_step !== undefined), over = await last.locator('.u-over').boundingBox(), y = over.y + over.height / 2;
    await page.mouse.move(over.x + 0.4 * over.width, y);
    await page.mouse.down();
    await page.mouse.move(over.x + 0.6 * over.width, y, {steps: 3});
    await page.mouse.up();
    const {from_step: from, to_step: to} = (await query).postDataJSON();
    assert.ok(from > 0 && from < to && to < 200, `from ${from} to ${to}`);
    assert.equal(await page.getByLabel('from', {exact: true}).inputValue(), `${from}`);
    const written = asks(body => body.to_step === 150); // the same without a mouse
    await page.getByLabel('to', {exact: true}).fill('150');
    await page.keyboard.press('Enter');
    assert.equal((await written).postDataJSON().from_step, from);
    const whole = asks(body => body.from_step === undefined && body.to_step === undefined);
    await page.getByRole('button', {name: 'Whole range'}).click();
    await whole;
  }
  await page.getByRole('link', {name: 'Branch'}).first().click();
  assert.equal(await page.getByLabel('iterations', {exact: true}).inputValue(), '400');
  await page.getByText('It would take').waitFor();
  await page.getByRole('button', {name: 'Start the job'}).click();
  await page.waitForURL(/#\/job\/\d+/);
  await page.locator('.state.done').waitFor({timeout: 60000});
  const branch = await daemon.get(`/v1/jobs/${page.url().match(/\d+$/)[0]}`);
  assert.equal(branch.spec.from.run, job.runs[0]);
  assert.deepEqual(branch.spec.hyper, job.spec.hyper);
  await close(page);
});

test('the form of a training follows its choices', async () => {
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

test('a stone is added, dragged, moved with the keys, and a player is asked', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByRole('button', {name: 'Add red'}).click();
  const stone = page.getByRole('button', {name: /^red stone 1/});
  const box = await stone.boundingBox(), ice = await page.locator('.sheet').boundingBox();
  const tee = await page.locator('.sheet .red').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(ice.x + ice.width / 2, ice.y + 100);
  await page.mouse.move(tee.x + tee.width / 2, tee.y + tee.height / 2);
  await page.mouse.up();
  await page.getByText('Red lies 1.').waitFor();
  assert.match(await stone.getAttribute('aria-label'), /-?0\.0\d m right, -?0\.0\d m behind the tee/);
  const before = await stone.getAttribute('aria-label');
  await stone.focus();
  await page.keyboard.press('Shift+ArrowRight');
  assert.notEqual(await stone.getAttribute('aria-label'), before);
  await page.getByLabel('Seconds to think').fill('0.2');
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  assert.ok(await page.locator('.sheet .path').count() > 0);
  assert.ok(await page.locator('.distribution rect').count() > 0);
  await page.getByRole('button', {name: 'Throw', exact: true}).click();
  await page.getByText('Shot 3:').waitFor();
  await stone.focus();
  await page.keyboard.press('Delete');
  await page.waitForFunction(() => !document.querySelector('[data-stone="team0/0"]'));
  await close(page);
});

test('a position is pasted; what cannot be read is told', async () => {
  const page = await open('#/board');
  await page.getByText('Paste a state of Digital Curling').click();
  const area = page.getByLabel('update.state of Digital Curling');
  await area.fill('{"stones":');
  await page.getByRole('button', {name: 'Take it'}).click();
  await page.getByText('This cannot be read').waitFor();
  const nothing = Array(7).fill(null);
  await area.fill(JSON.stringify({end: 1, shot: 3, hammer: 'team1', scores: {team0: [2], team1: [0]},
    stones: {team0: [{position: {x: 0.5, y: 38.4}, angle: 0}, ...nothing], team1: [{position: {x: -0.1, y: 38.2}, angle: 0}, ...nothing]}}));
  await page.getByRole('button', {name: 'Take it'}).click();
  await page.getByText('Shot 4: yellow throws. Yellow lies 1.').waitFor();
  await close(page);
});

test('the picture of the README is taken', {skip: !pictures}, async () => {
  const page = await open('#/board', {viewport: {width: 1200, height: 900}, reducedMotion: 'reduce'});
  await page.getByText('Paste a state of Digital Curling').click();
  const stones = (...places) => Array.from({length: 8}, (_, k) => places[k] ? {position: {x: places[k][0], y: places[k][1]}, angle: 0} : null);
  await page.getByLabel('update.state of Digital Curling').fill(JSON.stringify({end: 6, shot: 11, hammer: 'team1', scores: {team0: [0, 2, 0, 1, 0, 1], team1: [1, 0, 1, 0, 2, 0]},
    stones: {team0: stones([0.25, 35.4], [-0.35, 38.1], [0.9, 38.9]), team1: stones([-0.9, 36.1], [0.5, 39.1])}}));
  await page.getByRole('button', {name: 'Take it'}).click();
  await page.getByText('Shot 12:').waitFor();
  await page.getByText('Paste a state of Digital Curling').click();
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({path: `${pictures}/readme.png`});
  await close(page);
});

test('the shot that was aimed stops where it should', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByLabel('with the error of the hand').uncheck();
  await page.getByLabel('Metres right of the middle').fill('0.6');
  await page.getByLabel('Metres behind the tee').fill('-0.4');
  await page.getByRole('button', {name: 'Throw', exact: true}).focus();
  await page.locator('.sheet .path').waitFor();
  await page.getByRole('button', {name: 'Throw', exact: true}).click();
  const stone = page.locator('[data-stone="team0/0"]');
  await stone.waitFor();
  const [, x, y] = (await stone.getAttribute('aria-label')).match(/, (-?[\d.]+) m right, (-?[\d.]+) m behind/).map(Number);
  assert.ok(Math.hypot(x - 0.6, y + 0.4) < 0.02, `it lies at ${x}, ${y}`);
  await close(page);
});

test('an end is played against the machine', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByLabel('Seconds to think').fill('0.05');
  await page.getByRole('button', {name: 'New end'}).click();
  for (let shot = 2; shot <= 16; shot += 2) {
    await page.getByText(`Shot ${shot}: yellow throws`).waitFor();
    await page.getByText('Your shot').waitFor();
    await page.getByRole('button', {name: 'Throw', exact: true}).click();
  }
  await page.getByText(/^The end is over: /).waitFor();
  assert.equal(await page.getByLabel('End', {exact: true}).inputValue(), '2');
  await close(page);
});

test('mistakes in a new job stand at their fields; then it is started', async () => {
  const page = await open('#/new/match');
  await page.getByLabel('a *', {exact: true}).fill('ai-simple');
  await page.getByLabel('b *', {exact: true}).fill('no-such-player');
  await page.getByLabel('pairs', {exact: true}).fill('0');
  await page.getByText('0 is not in 1..10000000').waitFor();
  assert.equal(await page.getByLabel('pairs', {exact: true}).getAttribute('aria-invalid'), 'true');
  await page.getByLabel('pairs', {exact: true}).fill('1');
  await page.getByLabel('b *', {exact: true}).fill('random');
  await page.getByText('It would take').waitFor();
  await page.getByRole('button', {name: 'Start the job'}).click();
  await page.waitForURL(/#\/job\/\d+/);
  await page.locator('.state.done').waitFor();
  await close(page);
});

test('there is a ladder for each number of ends', async () => {
  const page = await open('#/ladder/dc3');
  await page.getByText('Rated').waitFor();
  assert.deepEqual(await page.getByLabel('Ends').locator('option').allTextContents(), ['2 ends']);
  const spec = {a: 'ai-simple', b: 'dc3-rulebased', profile: 'dc3', ends: 4, pairs: 2};
  const {id} = await daemon.post('/v1/jobs', {kind: 'match', spec});
  while ((await daemon.get('/v1/ratings?profile=dc3&ends=4')).items.length === 0)
    await page.waitForTimeout(100);
  await page.getByLabel('Ends').locator('option', {hasText: '4'}).waitFor({state: 'attached'});
  await page.getByLabel('Ends').selectOption('4');
  await page.waitForURL(/#\/ladder\/dc3\/4/);
  await page.getByText('Rated').waitFor();
  await page.getByRole('button', {name: /ai-simple wins .* from dc3-rulebased/}).click();
  await page.getByText(/^\d+: ai-simple$/).waitFor();
  assert.equal((await daemon.get(`/v1/matches?job=${id}`)).items[0].ends, 4);
  await close(page);
});

test('extra ends are called so, and such games have a ladder of their own', async () => {
  const spec = {a: 'random', b: 'ai-simple:epsilon=0.8', ends: 2, extra_ends: 10, pairs: 10, seed: 3};
  const {id} = await daemon.work('match', spec);
  const {items: [{id: number}]} = await daemon.get(`/v1/matches?job=${id}`);
  const longer = (await daemon.get(`/v1/matches/${number}/games`)).items.find(game => game.ends.length > 2);
  const page = await open(`#/job/${id}`, {reducedMotion: 'reduce'});
  await page.getByText(/; \d+ went to extra ends/).waitFor();
  await page.getByText('pairs, by the score of both games').waitFor();
  await page.getByText('2 ends and up to 10 extra').first().waitFor();
  await page.goto(`${daemon.url}/#/games/${number}`);
  await page.getByTitle(/^extra end 1, with/).first().waitFor();
  await page.goto(`${daemon.url}/#/games/${number}/${longer.id}`);
  await page.getByRole('button', {name: 'Extra end 1', exact: true}).click();
  await page.getByText('Extra end 1, shot 1:').waitFor();
  await page.locator('.sheet .thrown').first().waitFor();
  while ((await daemon.get('/v1/ratings?extra_ends=10')).items.length === 0)
    await page.waitForTimeout(100);
  await page.goto(`${daemon.url}/#/ladder/dc2`);
  await page.getByLabel('Ends').locator('option', {hasText: 'extra'}).waitFor({state: 'attached'});
  await page.getByLabel('Ends').selectOption('2/10');
  await page.waitForURL(/#\/ladder\/dc2\/2\/10/);
  await page.getByRole('button', {name: /ai-simple:epsilon=0.8 wins .* from random/}).click();
  await close(page);
});

test('a game is stepped through', async () => {
  const page = await open(`#/games/${match.id}/${match.id}-0-0`, {reducedMotion: 'reduce'});
  await page.getByText('End 1, shot 1:').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByText('End 1, shot 2:').waitFor();
  await page.locator('.sheet .thrown').first().waitFor();
  await page.getByRole('button', {name: 'End 2'}).click();
  await page.getByText('End 2, shot 1:').waitFor();
  await close(page);
});

test('values that are not finite leave the curves in one piece', async () => {
  const page = await open('#/');
  await page.route('**/v1/metrics/query', route => route.fulfill({json: {curves: [{run, name: 'throws_per_s',
    points: [[0, 1, 0], [1, 'NaN', 1], [2, 'Infinity', 2], [3, 5, 3]]}]}}));
  await page.goto(`${daemon.url}/#/run/${run}`);
  await page.getByText(/2 values are not finite|Charts are not built into/).waitFor();
  await close(page);
});

test('what came out is told in words, an interval without an end too', async () => {
  const page = await open('#/');
  await page.route(`**/v1/jobs/${match.id}`, route => route.fulfill({json: {...match, result: {...match.result, win_percent: 95, elo: 500, elo_interval: [120.4, null]}}}));
  await page.goto(`${daemon.url}/#/job/${match.id}`);
  await page.getByText('500 (120 or more)').waitFor();
  const won = points => ({points, standard_error: 0.1});
  await page.unroute(`**/v1/jobs/${match.id}`);
  await page.route(`**/v1/jobs/${match.id}`, route => route.fulfill({json: {...match, kind: 'exploitability', spec: {player: 'random', profile: 'dc2', ends: 2},
    result: {player: 'random', sente: won(6.5), gote: won(4), nash_conv: won(10.5)}}}));
  await page.reload();
  await page.getByText('10.50 ± 0.20 points per end').waitFor();
  await close(page);
});

test('markup in names stays text', async () => {
  await daemon.post(`/v1/runs/${run}`, {tags: {note: '<img src=x onerror="window.bad = true"><b>bold</b>'}}, 'PATCH');
  const page = await open('#/runs');
  await page.getByText('<b>bold</b>').waitFor();
  assert.equal(await page.locator('main img, main b b').count(), 0);
  assert.equal(await page.evaluate(() => window.bad), undefined);
  await close(page);
});

test('a page that is not there, a job that is not there', async () => {
  let page = await open('#/nowhere');
  await page.getByText('There is no such page').waitFor();
  await close(page);
  page = await open('#/job/999999');
  await page.getByRole('alert').getByText('There is nothing here').waitFor();
  await close(page);
});

test('a token is asked for and kept for the tab', async context => {
  const guarded = new Daemon('guarded');
  context.after(() => guarded.stop());
  const told = execFileSync(process.env.RINKD, ['--new-token', 'query,train:ann'], {encoding: 'utf8'});
  const [token, line] = told.split('\n'), file = `${process.env.RINKD_WORK}/tokens`;
  writeFileSync(file, `${line}\n`, {mode: 0o600});
  guarded.flags = ['--tokens', file];
  await guarded.start();
  const page = await open('#/', {url: guarded.url});
  const dialog = page.getByRole('dialog', {name: 'A token is needed'}), field = page.getByRole('textbox', {name: 'Token'});
  await dialog.waitFor();
  await field.fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('This token is not known here').waitFor();
  await field.fill(token);
  await page.keyboard.press('Enter');
  await page.getByText('The queue is empty').waitFor();
  await page.reload();
  await page.getByText('The queue is empty').waitFor();
  assert.equal(await dialog.isVisible(), false);
  await close(page);
});

test('the page finds the service again after a restart', async () => {
  const page = await open('#/');
  await page.locator('#connection[data-state=ready]').waitFor();
  await daemon.stop();
  await page.locator('#connection[data-state=lost]').waitFor();
  await daemon.start();
  await page.locator('#connection[data-state=ready]').waitFor();
  const {id} = await daemon.post('/v1/jobs', {kind: 'diagnose', spec: {seconds: 1}});
  await page.getByRole('link', {name: `${id}`, exact: false}).first().waitFor();
  await close(page);
});
