// Takes a picture of every page, to look at: 390, 1440 and 1920 pixels wide, light and dark; empty,
// full, with what it shows of an error (refused, nothing there, the service gone, a wrong token),
// and as it prints. A check of nothing: people look at them.
//
//   RINKD_PICTURES=FOLDER [RINKD_ONLY=REGEX] run.sh pictures.mjs FOLDER …
//
// RINKD_ONLY: of names like "board-390-dark" or "runs-empty-1440-light".
import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {chromium} from 'playwright-core';
import {Daemon} from './daemon.mjs';
import {fill, pagesOf} from './sample.mjs';

const folder = process.env.RINKD_PICTURES;
const only = new RegExp(process.env.RINKD_ONLY ?? '');
const WIDTHS = [390, 1440, 1920];
const SCHEMES = ['light', 'dark'];
const SETTLE_MS = 400;
const PATIENCE_MS = 5000;

/** Counts the requests of a page that have no answer yet; streams of events never end. */
function countRequests(page) {
  page.pending = new Set();
  page.on('request', one => /\/events/.test(one.url()) || page.pending.add(one));
  for (const end of ['requestfinished', 'requestfailed'])
    page.on(end, one => page.pending.delete(one));
}

const settle = () => new Promise(resolve => setTimeout(resolve, SETTLE_MS));

/** Waits until nothing loads on the page. */
async function ready(page) {
  const end = performance.now() + PATIENCE_MS;
  do await settle();
  while (page.pending.size && performance.now() < end);
  await page
    .locator('.loading')
    .first()
    .waitFor({state: 'detached', timeout: PATIENCE_MS})
    .catch(() => {});
}

/** Scrolls to the end and back: charts load when they come into sight. */
async function scrollThrough(page) {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0; y < height; y += page.viewportSize().height) {
    await page.evaluate(at => window.scrollTo(0, at), y);
    await ready(page);
  }
  await page.evaluate(() => window.scrollTo(0, 0));
}

/** Takes one picture; act(page): what is done on the page before. */
async function take(browser, url, {name, address, act, look, print}) {
  if (!only.test(name)) return;
  const context = await browser.newContext({reducedMotion: 'reduce', ...look});
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  countRequests(page);
  await page.goto(`${url}/${address}`);
  await ready(page);
  try {
    await act?.(page);
  } catch (error) {
    console.log(`${name}: ${error.message.split('\n')[0]}`);
  }
  await ready(page);
  if (/run/.test(name)) await scrollThrough(page);
  if (print) writeFileSync(`${folder}/${name}.pdf`, await page.pdf({format: 'A4'}));
  else await page.screenshot({path: `${folder}/${name}.png`, fullPage: true});
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0 && !print) console.log(`${name}: ${over} pixels too wide`);
  await context.close();
}

const lookOf = (width, scheme) => ({
  viewport: {width, height: width < 500 ? 844 : 900},
  colorScheme: scheme,
});

async function takeAll(browser, url, pages, state) {
  for (const [name, {address, act}] of Object.entries(pages))
    for (const width of WIDTHS)
      for (const scheme of SCHEMES) {
        const label = [name, state, width, scheme].filter(Boolean).join('-');
        await take(browser, url, {name: label, address, act, look: lookOf(width, scheme)});
      }
}

/** Every request for data is refused while these are taken. */
async function takeErrors(browser, url, pages) {
  for (const [name, {address}] of Object.entries(pages)) {
    const act = async page => {
      const problem = {title: 'Service Unavailable', detail: 'the disk is full', status: 503};
      await page.route('**/v1/**', route => route.fulfill({status: 503, json: problem}));
      await page.reload();
    };
    for (const width of [390, 1440])
      await take(browser, url, {
        name: `${name}-error-${width}-light`,
        address,
        act,
        look: lookOf(width, 'light'),
      });
  }
}

// Addresses of what is not there.
const NOWHERE = {
  ...{
    job: '#/job/99',
    run: `#/run/${'0'.repeat(32)}`,
    match: '#/games/99',
    game: '#/games/9/9-0-0',
  },
  ...{
    review: '#/review/1',
    position: '#/library/99',
    hand: '#/hand?game=9-0-0',
    word: '#/glossary/x',
  },
};

/** What is not there, and pages that lose the service while they are looked at. */
async function takeLost(browser, daemon, pages) {
  const look = lookOf(1440, 'dark');
  for (const [name, address] of Object.entries(NOWHERE))
    await take(browser, daemon.url, {name: `${name}-nowhere-1440-dark`, address, look});
  const act = async page => {
    await page.context().setOffline(true);
    await page.locator('#connection[data-state=lost]').waitFor();
  };
  for (const name of ['overview', 'board', 'job', 'run'])
    await take(browser, daemon.url, {
      ...{name: `${name}-lost-390-dark`, address: pages[name].address, act},
      look: lookOf(390, 'dark'),
    });
}

/** The question for a token, and its answer to a wrong one. */
async function takeToken(browser) {
  const line = execFileSync(process.env.RINKD, ['--new-token', 'query:ann'], {encoding: 'utf8'});
  const file = `${process.env.RINKD_TEST_WORK}/tokens`;
  writeFileSync(file, `${line.split('\n')[1]}\n`, {mode: 0o600});
  const guarded = new Daemon('guarded', '--tokens', file);
  await guarded.start();
  const wrong = async page => {
    await page.getByRole('textbox', {name: 'Token'}).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This token is not known here').waitFor();
  };
  for (const [name, act] of Object.entries({asked: null, wrong}))
    for (const width of WIDTHS)
      await take(browser, guarded.url, {
        ...{name: `token-${name}-${width}-dark`, address: '#/', act},
        look: lookOf(width, 'dark'),
      });
  await guarded.stop();
}

mkdirSync(folder, {recursive: true});
const launch = {executablePath: '/usr/bin/chromium', args: ['--no-sandbox']};
const browser = await chromium.launch(launch);

const empty = new Daemon('empty');
await empty.start();
await takeAll(browser, empty.url, pagesOf(null), 'empty');
await empty.stop();

const daemon = new Daemon('pictures');
await daemon.start();
const pages = pagesOf(await fill(daemon));
await takeAll(browser, daemon.url, pages, '');
await takeErrors(browser, daemon.url, pages);
await takeLost(browser, daemon, pages);
await takeToken(browser);
for (const [name, {address, act}] of Object.entries(pages))
  await take(browser, daemon.url, {
    ...{name: `${name}-print`, address, act, print: true},
    look: lookOf(1440, 'dark'),
  });
await browser.close();
await daemon.stop();
