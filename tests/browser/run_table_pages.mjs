// The table of runs, their tags and differences; forms, dates and paper.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {chartsShown, close, daemon, faultsOf, open, run, until} from './fixture.mjs';

test('runs are filtered, sorted by a value and told apart by what differs', async () => {
  const [other] = (await daemon.work('diagnose', {seconds: 1})).runs;
  const page = await open('#/runs');
  const row = id => page.getByRole('row').filter({hasText: id.slice(0, 8)});
  await row(other).waitFor();
  await row(run).waitFor();
  await page.getByLabel('columns of what differs').check();
  await page.getByRole('columnheader', {name: 'seconds'}).waitFor();
  const metric = page.getByLabel('Value of');
  const names = await metric.locator('option').allTextContents();
  assert.ok(names.length > 1);
  await metric.selectOption({label: names[1]});
  await page.getByRole('columnheader', {name: names[1]}).waitFor();
  const label = names[1][0].toLowerCase() + names[1].slice(1);
  const values = async order => {
    await page.getByLabel('Order').selectOption(order);
    return (await page.locator(`tbody td[data-head="${label}"]`).allTextContents())
      .map(text => Number(text.replaceAll(',', '')))
      .filter(Number.isFinite);
  };
  const rising = await values('lowest');
  assert.deepEqual(
    rising,
    rising.toSorted((a, b) => a - b),
  );
  assert.deepEqual(await values('highest'), rising.toReversed());
  await page.getByLabel('Filter').fill(`diagnose ${other.slice(0, 8)}`);
  await row(run).waitFor({state: 'detached'});
  assert.equal(await row(other).count(), 1);
  await page.getByLabel('Filter').fill('no such words');
  await page.getByText('No run has all these words.').waitFor();
  await page.goto(`${daemon.url}/#/run/${run},${other}`);
  const differs = page.getByRole('region', {name: 'What differs'});
  await differs.getByText('seconds').waitFor();
  await close(page);
});

/** Runs that nobody made: {items} of a list, with the values that the fields ask for. */
async function fakeRuns(page, count) {
  const [like] = (await daemon.get('/v1/runs?limit=1')).items;
  const idOf = k => `${k}`.padStart(32, 'a');
  const make = (_, k) => ({
    ...{...like, id: idOf(k), job: 900 + Math.floor(k / 20), seed: k, state: 'done'},
    ...{metrics: ['win_rate/ai-simple'], spec: {...like.spec, seconds: 1 + Math.floor(k / 20)}},
    last_values: {'win_rate/ai-simple': 10 + k},
    highest_values: {'win_rate/ai-simple': 50 + k},
  });
  const items = Array.from({length: count}, make);
  await page.route(/\/v1\/runs\?/, route => {
    const asked = new URL(route.request().url()).searchParams;
    const ids = asked.get('ids')?.split(',');
    const fields = new Set(asked.get('fields').split(','));
    const shown = one =>
      Object.fromEntries(Object.entries(one).filter(([name]) => fields.has(name)));
    const found = items.filter(({id}) => !ids || ids.includes(id)).map(shown);
    return route.fulfill({json: {items: found, next_cursor: null}});
  });
  return items;
}

/** Each curve rises from 0 to the seed of its run. */
const fakeCurves = page =>
  page.route('**/v1/metrics/query', route => {
    const {runs, names} = route.request().postDataJSON();
    const points = id =>
      [0, 1, 2].map(step => [step, (step * Number(id.replaceAll('a', ''))) / 2, 0]);
    const curve = (id, name) => ({run: id, name, points: points(id)});
    route.fulfill({json: {curves: runs.flatMap(id => names.map(name => curve(id, name)))}});
  });

test('the runs of a job share a row with their mean, of the last or the best values', async () => {
  const page = await open('#/nowhere');
  await fakeRuns(page, 40);
  await page.goto(`${daemon.url}/#/runs`);
  await page.getByLabel('Value of').selectOption('win_rate/ai-simple');
  await page.getByLabel('one row for each job').check();
  await page.getByText('19.5 (10 to 29)').waitFor();
  await page.getByLabel('Which value').selectOption('highest');
  await page.getByText('59.5 (50 to 69)').waitFor();
  await page.getByLabel('Order').selectOption('highest');
  const first = page.locator('tbody tr').first();
  await first.getByText('79.5 (70 to 89)').waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await first.getByRole('checkbox').check();
  await page.getByRole('button', {name: 'Show 20 together'}).click();
  await page.waitForURL(/#\/run\/(a+\d+,){19}a+\d+$/);
  await close(page);
});

test('a hundred runs are chosen at once and shown together', async () => {
  const page = await open('#/nowhere');
  const items = await fakeRuns(page, 100);
  await fakeCurves(page);
  await page.goto(`${daemon.url}/#/runs`);
  await page.getByRole('button', {name: 'Choose all 100'}).click();
  await page.getByRole('button', {name: 'Show 100 together'}).click();
  await page.getByRole('heading', {name: '100 runs', exact: true}).waitFor();
  assert.equal(await page.locator('.run-head > div').count(), items.length);
  assert.equal(await page.getByRole('button', {name: 'CSV'}).count(), 1);
  assert.equal(await page.getByRole('heading', {name: /^Settings of/}).count(), 0);
  await page.getByRole('region', {name: 'What differs'}).getByText('seconds').waitFor();
  assert.deepEqual(await faultsOf(page), []);
  if (await chartsShown(page)) {
    await page.getByRole('button', {name: 'Mean over seeds'}).click();
    const chart = page.locator('section[aria-label^="curve of"]').first();
    await chart.scrollIntoViewIfNeeded();
    await until(async () => {
      const box = await chart.locator('.u-over').boundingBox(); // null while it is drawn anew
      if (!box) return false;
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 3 * Math.random());
      return /seed \d+: \d/.test(await chart.locator('.pointed').innerText());
    }, 'the line under the pointer');
    assert.equal(await chart.locator('.u-legend').count(), 0);
  }
  await close(page);
});

test('a note is written to a run, shown in the table, and taken off', async () => {
  const page = await open(`#/run/${run}`);
  await page.getByLabel('Text').fill('the <first> one');
  await page.getByRole('button', {name: 'Set the tag'}).click();
  await page.getByText('note: the <first> one').waitFor();
  await page.goto(`${daemon.url}/#/runs`);
  await page.getByText('note=the <first> one').waitFor();
  await page.goto(`${daemon.url}/#/run/${run}`);
  await page.getByRole('button', {name: 'remove tag note'}).click();
  await page.getByText('the <first> one').waitFor({state: 'detached'});
  await close(page);
});

test('a form keeps what was filled in when the kind changes and comes back', async () => {
  const page = await open('#/new/match');
  await page.getByLabel('pairs', {exact: true}).fill('77');
  await page.locator('#kind').selectOption('tournament');
  await page.locator('#kind').selectOption('match');
  assert.equal(await page.getByLabel('pairs', {exact: true}).inputValue(), '77');
  await close(page);
});

test('a moment names the zone of the reader, without AM and PM', async () => {
  const page = await open('#/runs', {locale: 'en-US', timezoneId: 'Asia/Tokyo'});
  const title = await page.locator('time').first().getAttribute('title');
  assert.match(title, /^\d+ \w+ 2\d{3}, \d\d:\d\d:\d\d (GMT\+9|JST)$/);
  await close(page);
});

test('on paper there is the page without its navigation, in light colours', async () => {
  const page = await open('#/runs', {colorScheme: 'dark'});
  await page.locator('time').first().waitFor();
  await page.emulateMedia({media: 'print', colorScheme: 'dark'});
  assert.equal(await page.locator('header').isVisible(), false);
  const ink = await page.evaluate(() => getComputedStyle(document.body).color);
  const [red] = ink.match(/\d+/g).map(Number);
  assert.ok(red < 100, ink);
  await close(page);
});
