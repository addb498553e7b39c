// Every page in wide and narrow windows, in light and dark colours.
import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {test} from 'node:test';
import {chartsShown, faultsOf, newContext, open, pictures, run, until} from './fixture.mjs';

// Name: [address, a text that the loaded page shows].
const pages = () => ({
  overview: ['#/', 'Recent results'],
  job: ['#/job/1', 'ai-simple wins'],
  runs: ['#/runs', 'Show together'],
  new: ['#/new/match', 'Pairs of games'],
  training: ['#/new/train', 'It would take'],
  ladder: ['#/ladder/dc3', 'Rated'],
  board: ['#/board', 'Nobody counts'],
  hand: [`#/hand?game=1-0-0`, 'Which kind of hand'],
  games: ['#/games', 'ai-simple – dc3-rulebased'],
  match: ['#/games/1', '1-0-0'],
  game: ['#/games/1/1-0-0', 'End 1, shot 1'],
  library: ['#/library', 'Nothing is kept here'],
  words: ['#/glossary/hammer', 'the last shot of an end'],
  reproduction: ['#/reproduction', 'The shipped policy'],
  nodes: ['#/nodes', 'There are no nodes'],
  run: [`#/run/${run}`, 'Throws of the simulator'],
});

/** Elements that are cut: their place is narrower than they are. Those with a title may be cut. */
const cutIn = page =>
  page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter(one => one.checkVisibility() && !one.title && !one.matches('svg, svg *, input'))
      .filter(one => getComputedStyle(one).overflowX !== 'visible')
      .filter(one => one.scrollWidth > one.clientWidth + 1)
      .map(one => `${one.outerHTML.slice(0, 200)}: ${one.scrollWidth} > ${one.clientWidth}`),
  );

/** What has no place on paper: buttons that nobody can press, and headings of nothing. */
const uselessIn = page =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'header, button:not(td button, .term > button, .numbers button), .toolbar',
      ),
      ...[...document.querySelectorAll('.card')].filter(
        card => card.innerText.trim() === card.querySelector('h2')?.innerText.trim(),
      ),
    ]
      .filter(one => one.checkVisibility())
      .map(one => one.outerHTML.slice(0, 200)),
  );

const PAPER = {width: 718, height: 1047}; // pixels of A4 within its margins

const DARK_LINE = [52, 64, 78, 255]; // of a chart's grid, frame/colours.css

/** Whether a chart has a grid for the dark look. */
const hasDarkGrid = page =>
  page.evaluate(ink => {
    const isInk = (data, at) => ink.every((value, k) => data[at + k] === value);
    return [...document.querySelectorAll('canvas')].some(canvas => {
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) if (isInk(data, at)) return true;
      return false;
    });
  }, DARK_LINE);

async function checkPaper(page, name) {
  if (await page.locator('canvas').count()) await until(() => hasDarkGrid(page), 'a dark chart');
  await page.setViewportSize(PAPER);
  await page.emulateMedia({media: 'print', colorScheme: 'dark'});
  assert.deepEqual(await uselessIn(page), [], `${name} on paper`);
  assert.deepEqual(await cutIn(page), [], `${name} on paper`);
  await until(async () => !(await hasDarkGrid(page)), `a light chart on paper, of ${name}`);
}

async function takePicture(page, name) {
  mkdirSync(pictures, {recursive: true});
  await page.locator('.loading').first().waitFor({state: 'detached'});
  await page.screenshot({path: `${pictures}/${name}.png`, fullPage: true});
}

async function checkPage(page, name, text) {
  await page.getByText(text).first().waitFor();
  if (name === 'run' && (await chartsShown(page))) await page.locator('canvas').first().waitFor();
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(over, 0, `${name} is wider than the window`);
  if (page.viewportSize().width < 500) assert.deepEqual(await cutIn(page), [], name);
  assert.equal(await page.locator('h1').count(), 1);
}

// The narrow dark look has nothing to check that the others lack, so it is only for pictures.
const looks = [
  {width: 1440, scheme: 'light'},
  {width: 1440, scheme: 'dark'},
  {width: 390, scheme: 'light'},
  ...(pictures ? [{width: 390, scheme: 'dark'}] : []),
];

for (const {width, scheme} of looks)
  test(`every page shows its content and is accessible at ${width} pixels, ${scheme}`, async () => {
    const viewport = {width, height: 844};
    const look = {viewport, colorScheme: scheme, reducedMotion: 'reduce'};
    const context = await newContext(look);
    for (const [name, [address, text]] of Object.entries(pages())) {
      const page = await open(address, {context});
      await checkPage(page, name, text);
      const rules = scheme === 'dark' ? ['color-contrast'] : null;
      if (width > 390) assert.deepEqual(await faultsOf(page, rules), [], name);
      if (pictures) await takePicture(page, `${name}-${width}-${scheme}`);
      if (scheme === 'dark') await checkPaper(page, name);
      assert.deepEqual(page.broken, []);
      await page.close();
    }
    await context.close();
  });
