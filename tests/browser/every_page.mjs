// Every page in wide and narrow windows, in light and dark colours.
import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {test} from 'node:test';
import {chartsShown, faultsOf, newContext, open, pictures, run} from './fixture.mjs';

// Name: [address, a text that the loaded page shows].
const pages = () => ({
  overview: ['#/', 'Recent results'],
  job: ['#/job/1', 'a wins'],
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
  nodes: ['#/nodes', 'There are no nodes'],
  run: [`#/run/${run}`, 'throws_per_s'],
});

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
      assert.deepEqual(page.broken, []);
      await page.close();
    }
    await context.close();
  });
