// Shared by the tests of the pages: a daemon with a match and a run in it, and a browser.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {after, before} from 'node:test';
import {chromium} from 'playwright-core';
import {Daemon} from './daemon.mjs';

// The longest wait for a condition; a busy machine is slow.
const WAIT_MS = 120000;
export const TRAINING_MS = 300000; // a job that computes

export const pictures = process.env.RINKD_PICTURES;
export const daemon = new Daemon('data');
export let match; // a finished job
export let run; // of a finished diagnose
let browser;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

before(async () => {
  await daemon.start();
  const players = {a: 'ai-simple', b: 'dc3-rulebased', profile: 'dc3'};
  match = await daemon.work('match', {...players, pairs: 2, ends: 2, seed: 1});
  run = (await daemon.work('diagnose', {seconds: 2})).runs[0];
  const arguments_ = ['--no-sandbox'];
  browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: arguments_});
});
after(async () => {
  await browser?.close();
  await daemon.stop();
});

export const newContext = options =>
  browser.newContext({viewport: {width: 1280, height: 800}, ...options});

/** Opens a page. close() fails the test if a script threw, if the page broke its content policy, or
 * if it sent a request to another server. */
export async function open(address, options = {}) {
  const context = options.context ?? (await newContext(options));
  const page = await context.newPage();
  const origin = options.url ?? daemon.url;
  page.broken = [];
  page.on('pageerror', error => page.broken.push(error.message));
  page.on('console', message => {
    if (/Content Security Policy/.test(message.text())) page.broken.push(message.text());
  });
  page.on('request', request => {
    const isOurs = request.url().startsWith(origin) || /^(blob|data):/.test(request.url());
    if (!isOurs) page.broken.push(`request to ${request.url()}`);
  });
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(`${origin}/${address}`);
  return page;
}

export async function close(page) {
  assert.deepEqual(page.broken, []);
  await page.context().close();
}

/** Lets a page see this job in place of the service's one of the same id. */
export const showJob = (page, job) =>
  page.route(new RegExp(`/v1/jobs/${job.id}(\\?.*)?$`), route =>
    route.fulfill({json: {history: [], ...job}}),
  );

/** Clicks a link until the address matches: rows may move between aiming and clicking. */
export async function follow(page, link, address) {
  const end = performance.now() + WAIT_MS;
  while (!address.test(page.url())) {
    assert.ok(performance.now() < end, `${address} was not reached`);
    try {
      await link.click({timeout: 5000});
      await page.waitForURL(address, {timeout: 2000});
    } catch (error) {
      if (error.name !== 'TimeoutError') throw error;
    }
  }
}

/** Calls ask() until its answer is truthy, and resolves to that. */
export async function until(ask, what) {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    assert.ok(performance.now() < end, `still waiting for ${what}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** The faults that axe-core finds in names, roles, order and contrast. */
export async function faultsOf(page, rules) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(
    runOnly =>
      window.axe.run(document, {resultTypes: ['violations'], ...(runOnly ? {runOnly} : {})}),
    rules,
  );
  return violations.flatMap(({id, help, nodes}) =>
    nodes.map(node => `${id}: ${help}: ${node.html}`),
  );
}

export const chartsShown = async page =>
  (await page.locator('html').getAttribute('data-charts')) !== 'none';
