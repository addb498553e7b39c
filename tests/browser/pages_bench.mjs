// Measures how much each page of the dashboard transfers and how soon it shows its data, with a
// large database: runs a small training, a match and a tournament, multiplies them (bench_grow),
// and opens each page in a browser with an empty cache. Prints a table in Markdown. Fails if a page
// does not show its data or is too heavy; times are only printed.
//
//   run.sh pages_bench.mjs FOLDER …      RINKD_GROW=the program bench_grow
//                                        RINKD_RUNS, RINKD_GAMES, RINKD_POINTS, RINKD_ROUNDS
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chromium} from 'playwright-core';
import {Daemon} from './daemon.mjs';

const size = (name, usual) => Number(process.env[name] ?? usual);
const rounds = size('RINKD_ROUNDS', 5);
const runs = size('RINKD_RUNS', 1000);
const games = size('RINKD_GAMES', 10000);
const points = size('RINKD_POINTS', 1e6);

const MOST_BYTES = 300e3; // per page, compressed
const MOST_REQUESTS = 50; // per page; unbundled scripts would need more
const QUIET_MS = 400; // a page without requests for this long has finished loading
const WAIT_MS = 300000;

const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
const kb = bytes => `${Math.round(bytes / 1000)} kB`;
const ms = time => `${Math.round(time)} ms`;

// The jobs that are run.
const train = {
  iterations: 400,
  network: {architecture: 'mlp', hidden: [8]},
  hyper: {
    ...{candidates: 0, parallel: 4, batch: 16, warm_up: 32},
    ...{response_memory: 2000, average_memory: 2000},
  },
  evaluate_every: 200,
  evaluate_pairs: 1,
  opponents: ['ai-simple', 'random', 'rink:simulations=20', 'kr-uct:simulations=20'],
};
const gameSpec = {profile: 'dc2', ends: 2, seed: 1};
const play = {a: 'ai-simple', b: 'random', pairs: 10, ...gameSpec};
const players = ['ai-simple', 'random', 'rink:simulations=200', 'kr-uct:simulations=50'];

/** Starts a daemon with a large database: {daemon, match}. */
async function prepare() {
  const daemon = new Daemon('bench');
  await daemon.start();
  const training = await daemon.work('train', train);
  const match = await daemon.work('match', play);
  const tournament = await daemon.work('tournament', {players, pairs: 2, ...gameSpec});
  for (const job of [training, match, tournament])
    assert.equal(job.state, 'done', `${job.kind}: ${JSON.stringify(job.error)}`);
  await daemon.stop();
  const sizes = ['--runs', runs, '--games', games, '--points', points];
  const grow = [daemon.data, ...sizes.map(String)];
  console.log(execFileSync(process.env.RINKD_GROW, grow, {encoding: 'utf8'}));
  await daemon.start();
  return {daemon, match};
}

/** Whether this rinkd was built with charts. */
async function hasCharts({url}) {
  const answer = await fetch(`${url}/`, {headers: {Accept: 'text/html'}});
  return !(await answer.text()).includes('data-charts="none"');
}

/** [page, address, selector of an element that appears with the data]. */
async function pagesOf(daemon, match, drawn) {
  const ids = (await daemon.get('/v1/runs?limit=101&fields=id')).items.map(run => run.id);
  const [large, ...others] = ids;
  return [
    ['overview', '#/', 'main table tbody tr'],
    ['runs', '#/runs', 'main table tbody tr'],
    [`run of ${points.toLocaleString('en')} points`, `#/run/${large}`, drawn],
    ['four runs together', `#/run/${ids.slice(0, 4).join(',')}`, drawn],
    [`${others.length} runs together`, `#/run/${others.join(',')}`, drawn],
    ['job', `#/job/${match.id}`, 'main dl dd'],
    ['new job', '#/new/train', 'main h3'],
    ['ladder', '#/ladder/dc2', '.ladder svg'],
    ['board', '#/board', '.sheet circle'],
    ['games', '#/games', 'main table tbody tr'],
    ['games of a match', '#/games/1', 'main table tbody tr'],
    ['a game', '#/games/1/1-0-0', '.stone'],
  ];
}

/** Opens a page in a browser with an empty cache; `bytes` counts what it transfers. */
async function open(browser, url) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}});
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  page.setDefaultTimeout(WAIT_MS);
  page.bytes = {sent: 0, read: 0, requests: 0};
  page.lastByte = performance.now();
  await network.send('Network.enable');
  network.on('Network.loadingFinished', event => {
    page.bytes.sent += event.encodedDataLength;
    page.bytes.requests++;
    page.lastByte = performance.now();
  });
  network.on('Network.dataReceived', event => {
    page.bytes.read += event.dataLength;
  });
  await page.goto(url, {waitUntil: 'commit'});
  return page;
}

/** Waits until the page has sent no request for a while. */
async function isQuiet(page) {
  while (performance.now() < page.lastByte + QUIET_MS)
    await new Promise(resolve => setTimeout(resolve, 20));
}

/** Milliseconds from the navigation until the element appears. */
async function stands(page, selector) {
  const isThere = one => document.querySelector(one) && performance.now();
  return (await page.waitForFunction(isThere, selector, {polling: 'raf'})).jsonValue();
}

const paintOf = page =>
  page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);

async function measurePage(browser, url, selector) {
  const times = {paint: [], data: []};
  let bytes;
  for (let k = 0; k < rounds; k++) {
    const page = await open(browser, url);
    times.data.push(await stands(page, selector));
    await isQuiet(page);
    times.paint.push(await paintOf(page));
    bytes = {...page.bytes};
    await page.context().close();
  }
  return {...bytes, paint: median(times.paint), data: median(times.data)};
}

async function measurePages(browser, daemon, pages) {
  console.log('| page | first paint | data stand | transferred | uncompressed | requests |');
  console.log('|---|---|---|---|---|---|');
  for (const [name, address, selector] of pages) {
    const found = await measurePage(browser, `${daemon.url}/${address}`, selector);
    const {paint, data, sent, read, requests} = found;
    assert.ok(sent > 10e3 && sent < MOST_BYTES, `${name} weighs ${sent} bytes`);
    assert.ok(requests < MOST_REQUESTS, `${name} takes ${requests} requests`);
    const cells = [name, ms(paint), ms(data), kb(sent), kb(read), requests];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

// ---- the large run: scrolled to its end, then zoomed in ----

/** Keeps the longest task of the page in window.longest. */
const watchTasks = page =>
  page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver(list => {
      const tasks = list.getEntries().map(entry => entry.duration);
      window.longest = Math.max(window.longest, ...tasks);
    }).observe({type: 'longtask'});
  });

/** Milliseconds from the end of a drag over a chart until the finer curve is drawn. */
async function zoom(page, chart) {
  const box = await chart.locator('.u-over').boundingBox();
  const y = box.y + box.height / 2;
  const before = page.bytes.read;
  await page.mouse.move(box.x + 0.3 * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, y, {steps: 5});
  const answer = page.waitForResponse(/metrics\/query/).then(response => response.finished());
  const begin = performance.now();
  await page.mouse.up();
  await answer;
  const twoFrames = () =>
    new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  await page.evaluate(twoFrames);
  assert.ok(page.bytes.read > before);
  return performance.now() - begin;
}

async function measureRun(browser, url) {
  const page = await open(browser, url);
  await stands(page, 'canvas');
  await watchTasks(page);
  const charts = page.locator('section[aria-label^="curve of"]');
  const count = await charts.count();
  for (let k = 0; k < count; k++) {
    await charts.nth(k).scrollIntoViewIfNeeded();
    await charts.nth(k).locator('canvas').waitFor();
  }
  const {sent, read} = page.bytes;
  console.log(`\nAll ${count} charts of the large run, scrolled through:`);
  console.log(`${kb(sent)} transferred, ${kb(read)} uncompressed.`);
  const zooms = [];
  await charts.first().scrollIntoViewIfNeeded();
  for (let k = 0; k < rounds; k++) zooms.push(await zoom(page, charts.first()));
  const longest = await page.evaluate(() => window.longest);
  console.log(`Zooming in ${rounds} times, each to a fifth: ${ms(median(zooms))} until the finer`);
  console.log(`curve is drawn; the longest task of the page took ${ms(longest)}.`);
}

const {daemon, match} = await prepare();
const charts = await hasCharts(daemon);
const pages = await pagesOf(daemon, match, charts ? 'canvas' : 'td');
const launch = {executablePath: '/usr/bin/chromium', args: ['--no-sandbox']};
const browser = await chromium.launch(launch);
await measurePages(browser, daemon, pages);
if (charts) await measureRun(browser, `${daemon.url}/${pages[2][1]}`);
await browser.close();
await daemon.stop();
