// What the pages of the dashboard weigh and how soon they stand, with a large database: a small
// training, matches and a tournament are done for real, copied as often as asked for (bench_grow),
// and each page is opened in a browser that has nothing of it yet. Prints a table in Markdown;
// times are never asserted, but a page that does not show what it should, or weighs too much, fails.
//
//   run.sh pages_bench.mjs FOLDER …      RINKD_GROW=the program bench_grow
//                                        RINKD_RUNS, RINKD_GAMES, RINKD_POINTS, RINKD_ROUNDS
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chromium} from 'playwright-core';
import {Daemon} from './daemon.mjs';

const size = (name, usual) => Number(process.env[name] ?? usual);
const rounds = size('RINKD_ROUNDS', 5), runs = size('RINKD_RUNS', 1000), games = size('RINKD_GAMES', 10000), points = size('RINKD_POINTS', 1e6);

const daemon = new Daemon('bench');
await daemon.start();
const training = await daemon.work('train', {iterations: 400, network: {architecture: 'mlp', hidden: [8]}, hyper: {candidates: 0, parallel: 4, batch: 16, warm_up: 32, response_memory: 2000, average_memory: 2000},
  evaluate_every: 200, evaluate_pairs: 1, opponents: ['ai-simple', 'random', 'rink:simulations=20', 'kr-uct:simulations=20']});
const match = await daemon.work('match', {a: 'ai-simple', b: 'random', profile: 'dc2', pairs: 10, ends: 2, seed: 1});
const done = [training, match, await daemon.work('tournament', {players: ['ai-simple', 'random', 'rink:simulations=200', 'kr-uct:simulations=50'], profile: 'dc2', pairs: 2, ends: 2, seed: 1})];
for (const job of done)
  assert.equal(job.state, 'done', `${job.kind}: ${JSON.stringify(job.error)}`);
await daemon.stop();
console.log(execFileSync(process.env.RINKD_GROW, [daemon.data, '--runs', runs, '--games', games, '--points', points], {encoding: 'utf8'}));
await daemon.start();

const [large, ...others] = (await daemon.get('/v1/runs?limit=4')).items.map(run => run.id);
const charts = await (await fetch(`${daemon.url}/`, {headers: {Accept: 'text/html'}})).text().then(page => !page.includes('data-charts="none"'));
const drawn = charts ? 'canvas' : 'td';
// Page, address, and what is there when it stands.
const pages = [
  ['overview', '#/', 'main table tbody tr'],
  ['runs', '#/runs', 'main table tbody tr'],
  [`run of ${points.toLocaleString('en')} points`, `#/run/${large}`, drawn],
  ['four runs together', `#/run/${[large, ...others].join(',')}`, drawn],
  ['job', `#/job/${match.id}`, 'main dl dd'],
  ['new job', '#/new/train', 'main h3'],
  ['ladder', '#/ladder/dc2', '.ladder svg'],
  ['board', '#/board', '.sheet circle'],
  ['games', '#/games', 'main table tbody tr'],
  ['games of a match', '#/games/1', 'main table tbody tr'],
  ['a game', '#/games/1/1-0-0', '.stone'],
];

const MOST_BYTES = 300e3; // of a page, as they are sent

const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
const kb = bytes => `${Math.round(bytes / 1000)} kB`;
const ms = time => `${Math.round(time)} ms`;
const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});

/** A page in a browser that has nothing of it in store; `bytes` counts what comes. */
async function open(address) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}});
  const page = await context.newPage(), network = await context.newCDPSession(page);
  page.bytes = {sent: 0, read: 0};
  await network.send('Network.enable');
  network.on('Network.loadingFinished', event => { page.bytes.sent += event.encodedDataLength; });
  network.on('Network.dataReceived', event => { page.bytes.read += event.dataLength; });
  await page.goto(`${daemon.url}/${address}`, {waitUntil: 'commit'});
  return page;
}

/** Milliseconds from the navigation until the element is there. */
const stands = async (page, selector) => (await page.waitForFunction(one => document.querySelector(one) && performance.now(), selector, {polling: 'raf'})).jsonValue();

console.log('| page | first paint | data stand | transferred | uncompressed |\n|---|---|---|---|---|');
for (const [name, address, selector] of pages) {
  const times = {paint: [], data: []};
  let bytes;
  for (let k = 0; k < rounds; k++) {
    const page = await open(address);
    times.data.push(await stands(page, selector));
    await page.waitForTimeout(400); // what else it asks for at first
    times.paint.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    bytes = {...page.bytes};
    await page.context().close();
  }
  assert.ok(bytes.sent > 10e3 && bytes.sent < MOST_BYTES, `${name} weighs ${bytes.sent} bytes`);
  console.log(`| ${name} | ${ms(median(times.paint))} | ${ms(median(times.data))} | ${kb(bytes.sent)} | ${kb(bytes.read)} |`);
}

// ---- the large run: looked through to its end, then zoomed into ----

if (charts) {
  const page = await open(`#/run/${large}`);
  await stands(page, drawn);
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver(list => { window.longest = Math.max(window.longest, ...list.getEntries().map(entry => entry.duration)); }).observe({type: 'longtask'});
  });
  const count = await page.locator('section[aria-label^="curve of"]').count();
  for (let k = 0; k < count; k++) {
    await page.locator('section[aria-label^="curve of"]').nth(k).scrollIntoViewIfNeeded();
    await page.waitForTimeout(50);
  }
  await page.waitForFunction(many => document.querySelectorAll('canvas').length >= many, count);
  console.log(`\nAll ${count} charts of the large run, looked at one after another: ${kb(page.bytes.sent)} transferred, ${kb(page.bytes.read)} uncompressed.`);
  const chart = page.locator('section[aria-label^="curve of"]').first(), zooms = [];
  await chart.scrollIntoViewIfNeeded();
  for (let k = 0; k < rounds; k++) {
    const box = await chart.locator('.u-over').boundingBox(), y = box.y + box.height / 2, before = page.bytes.read;
    await page.mouse.move(box.x + 0.3 * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, y, {steps: 5});
    const answer = page.waitForResponse(/metrics\/query/).then(response => response.finished());
    const begin = performance.now();
    await page.mouse.up();
    await answer;
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    zooms.push(performance.now() - begin);
    assert.ok(page.bytes.read > before);
  }
  console.log(`Zooming in ${rounds} times, each to a fifth: ${ms(median(zooms))} until the finer curve stands; the page was never busy for longer than ${ms(await page.evaluate(() => window.longest))}.`);
}
await browser.close();
await daemon.stop();
