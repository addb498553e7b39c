// Takes the pictures of the README and of the tour (deploy/tour.md). They are small: text is set
// larger than on a screen, so that they can be read at the width of a column.
//
//   RINKD_PICTURES=FOLDER run.sh tour.mjs FOLDER …       FOLDER/dashboard.png, FOLDER/tour/*.png
import assert from 'node:assert/strict';
import {mkdirSync, statSync} from 'node:fs';
import {chromium} from 'playwright-core';
import {Daemon} from './daemon.mjs';
import {fill, pagesOf} from './sample.mjs';

const folder = process.env.RINKD_PICTURES;
const MOST_BYTES = 120e3; // of a picture
const MOST_ALL = 600e3; // with that of the README
const SIZE = {width: 1080, height: 720};

// Name: the page of the sample, and a selector of what the picture begins with.
const PICTURES = {
  '../dashboard': ['answer', 'main'],
  map: ['map', 'main'],
  review: ['review', 'main'],
  puzzle: ['puzzle', 'main'],
  ladder: ['ladder', 'main'],
  game: ['game', 'main'],
};

const daemon = new Daemon('pictures');
await daemon.start();
const pages = pagesOf(await fill(daemon));
const launch = {executablePath: '/usr/bin/chromium', args: ['--no-sandbox']};
const browser = await chromium.launch(launch);
const look = {viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce'};
mkdirSync(`${folder}/tour`, {recursive: true});
let all = 0;
for (const [name, [page_, selector]] of Object.entries(PICTURES)) {
  const {address, act} = pages[page_];
  const page = await (await browser.newContext(look)).newPage();
  page.setDefaultTimeout(120000);
  await page.goto(`${daemon.url}/${address}`);
  await page.locator('.loading').first().waitFor({state: 'detached'});
  await act?.(page);
  await page.waitForTimeout(800); // what is drawn on a canvas
  await page.evaluate(at => document.querySelector(at).scrollIntoView(), selector);
  const path = `${folder}/tour/${name}.png`;
  await page.screenshot({path});
  const {size} = statSync(path);
  assert.ok(size < MOST_BYTES, `${name}: ${size} bytes`);
  all += size;
  await page.context().close();
}
assert.ok(all < MOST_ALL, `${all} bytes`);
console.log(`${Object.keys(PICTURES).length} pictures, ${all} bytes`);
await browser.close();
await daemon.stop();
