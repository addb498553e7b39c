// What papers printed beside what was measured here: every figure of the shipped description is
// shown, and what it offers to repeat is accepted.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {chartsShown, close, daemon, open, until} from './fixture.mjs';

const WIDE = {viewport: {width: 1440, height: 900}, reducedMotion: 'reduce'};

const cardOf = (page, title) =>
  page.locator('section.card', {has: page.getByRole('heading', {name: title, exact: true})});

/** Whether an object has these members, at any depth. */
const holds = (all, part) =>
  Object.entries(part).every(([name, value]) =>
    Object(value) === value ? holds(all[name] ?? {}, value) : all[name] === value,
  );

const sectionOf = async id =>
  (await daemon.get('/v1/reproduction')).sections.find(section => section.id === id);

test('published results stand beside ours, with intervals and gates', async () => {
  const page = await open('#/', WIDE);
  await page.getByRole('link', {name: 'Papers'}).click();
  await page.getByRole('heading', {name: 'Published results', level: 1}).waitFor();
  const {sections} = await daemon.get('/v1/reproduction');
  for (const {title, rows, printed = []} of sections) {
    const card = cardOf(page, title);
    assert.equal(await card.locator('tbody tr').count(), rows.length, title);
    const text = await card.textContent();
    for (const {value} of printed.filter(one => one.value !== undefined))
      assert.ok(text.includes(String(value).replace('-', '−')), `${title}: printed ${value}`);
  }
  const figures = await cardOf(page, (await sectionOf('figure-3')).title).textContent();
  assert.ok(figures.includes('76.2 (73.0 to 79.2)'), figures);
  const points = await cardOf(page, 'Policies').textContent();
  assert.ok(points.includes('+5.10 ± 0.16') && points.includes('−1.32'), points);
  await close(page);
});

test('a gate that is not met is told in words, and gates come first', async () => {
  const page = await open('#/reproduction', WIDE);
  const gates = await sectionOf('gates');
  const first = page.locator('.published .card').first();
  await first.getByRole('heading', {name: gates.title}).waitFor();
  const met = gates.rows.filter(row => row.includes(true)).length;
  assert.equal(await first.getByText('met', {exact: true}).count(), met);
  assert.equal(await first.getByText('not met', {exact: true}).count(), gates.rows.length - met);
  await close(page);
});

test('intervals are drawn where they are', async () => {
  const page = await open('#/reproduction', WIDE);
  const {title, rows} = await sectionOf('figure-3-policies');
  const bars = cardOf(page, title).locator('svg');
  await bars.first().waitFor();
  assert.equal(await bars.count(), rows.length);
  const places = await bars.evaluateAll(all =>
    all.map(svg => {
      const line = svg.querySelector('.whisker');
      return ['x1', 'x2'].map(name => Number(line.getAttribute(name)));
    }),
  );
  const low = rows.map(([, {low: end}]) => end);
  const high = rows.map(([, {high: end}]) => end);
  places.forEach(([from, to]) => assert.ok(from >= 0 && to > from && to <= 100));
  assert.equal(
    places.findIndex(([from]) => from === 2),
    low.indexOf(Math.min(...low)),
  );
  assert.equal(
    places.findIndex(([, to]) => to === 98),
    high.indexOf(Math.max(...high)),
  );
  await close(page);
});

test('a figure is a chart with what was printed', async () => {
  const page = await open('#/reproduction', WIDE);
  const {title, printed} = await sectionOf('figure-3');
  await cardOf(page, title).waitFor();
  if (await chartsShown(page)) {
    const chart = page.locator(`[data-curve^="${title}"]`);
    await chart.locator('canvas').waitFor();
    const labels = await chart.locator('.u-label').allTextContents();
    for (const {value, words} of printed)
      assert.ok(labels.includes(`printed: ${value} ${words}`), labels.join());
  }
  await close(page);
});

test('a job that repeats a figure is a form that is filled in', async () => {
  const page = await open('#/reproduction', WIDE);
  const {title, jobs} = await sectionOf('figure-3');
  await cardOf(page, title)
    .getByRole('link', {name: /^New job/})
    .click();
  await page.waitForURL(/#\/new\/train\?spec=/);
  await page.getByText('It would take').waitFor();
  const [{spec}] = jobs;
  await until(
    async () => (await page.getByLabel('iterations').first().inputValue()) === `${spec.iterations}`,
    'the number of ends',
  );
  assert.equal(await page.getByLabel('seeds').first().inputValue(), spec.seeds.join(', '));
  await close(page);
});

test('every job of the results is accepted by its form', async () => {
  const {sections} = await daemon.get('/v1/reproduction');
  const jobs = sections.flatMap(({jobs: list = []}) => list);
  assert.ok(jobs.length >= 6);
  const page = await open('#/nowhere', WIDE);
  for (const {kind, spec} of jobs) {
    const asked = page.waitForRequest(
      request => request.method() === 'POST' && request.url().endsWith('/v1/jobs'),
    );
    await page.goto('about:blank');
    await page.goto(`${daemon.url}/#/new/${kind}?spec=${encodeURIComponent(JSON.stringify(spec))}`);
    const sent = (await asked).postDataJSON().spec;
    assert.ok(holds(sent, spec), `${kind}: ${JSON.stringify(sent)}`);
    await page.getByText('It would take').waitFor();
  }
  await close(page);
});

test('a spec in an address that cannot be read leaves an empty form', async () => {
  const page = await open('#/new/match?spec={', WIDE);
  await page.getByText('still needed').waitFor();
  await close(page);
});
