// The pages of trainings and their curves.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {chartsShown, close, daemon, follow, open, run, TRAINING_MS, until} from './fixture.mjs';

// Settings for a small, fast training.
const tiny = {
  network: {architecture: 'mlp', hidden: [8]},
  hyper: {
    candidates: 0,
    parallel: 4,
    batch: 16,
    warm_up: 32,
    response_memory: 2000,
    average_memory: 2000,
  },
  evaluate_every: 100,
  evaluate_pairs: 1,
  checkpoint_every: 50,
};

let trained = null;

/** A small training of three seeds; runs once for all tests. */
async function seeds() {
  trained ??= daemon.work('train', {...tiny, iterations: 200, seeds: [1, 2, 3]});
  const job = await trained;
  assert.equal(job.state, 'done');
  return job;
}

test('the curves of a running job grow without a reload', async () => {
  const page = await open('#/');
  const {id, runs} = await daemon.post('/v1/jobs', {kind: 'diagnose', spec: {seconds: 600}});
  await page.getByRole('link', {name: `diagnose ${id}`}).waitFor();
  await page.evaluate(() => {
    window.isSame = true;
  });
  await follow(page, page.getByRole('link', {name: `diagnose ${id}`}), /#\/job\//);
  await page.waitForFunction(() => document.querySelector('progress')?.value > 0);
  await page.getByRole('link', {name: 'Curves'}).click();
  await page.getByRole('heading', {name: 'Throws of the simulator (1/s)', exact: true}).waitFor();
  const steps = async () =>
    (await daemon.get(`/v1/runs/${runs[0]}/metrics?names=throws_per_s`)).curves[0].points.length;
  const had = await steps();
  await until(async () => (await steps()) >= had + 2, 'two more points');
  await page.goto(`${daemon.url}/#/job/${id}`);
  await page.getByRole('button', {name: 'Cancel'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'End the job'}).click();
  await page.locator('.state.cancelled').waitFor();
  await page.getByLabel('the last lines of the worker').waitFor();
  assert.equal(await page.evaluate(() => window.isSame), true);
  await close(page);
});

test('a training can be watched, paused and resumed, and its policy asked', async () => {
  const page = await open('#/');
  const {id, runs} = await daemon.post('/v1/jobs', {
    kind: 'train',
    spec: {...tiny, iterations: 20000},
  });
  await follow(page, page.getByRole('link', {name: `train ${id}`}), /#\/job\//);
  await follow(page, page.getByRole('link', {name: 'Curves'}), /#\/run\//);
  if (await chartsShown(page))
    for (const title of ['Win rate (%)', 'Loss', 'Ends played (1/s)'])
      await page.getByRole('heading', {name: title, exact: true}).waitFor();
  await page.getByLabel('Against').selectOption('cpu');
  if (await chartsShown(page))
    await page.locator('.u-legend').getByText('CPU seconds').first().waitFor();
  await page.getByRole('button', {name: 'Pause'}).click();
  await page.locator('.state.paused').waitFor();
  await page.getByRole('button', {name: 'Resume'}).click();
  await page.locator('.state.leased').waitFor();
  await follow(page, page.getByRole('link', {name: 'Ask this player'}).first(), /#\/board/);
  const player = await page.getByLabel('Player').inputValue();
  assert.ok(player.startsWith(`${runs[0]}.`), player);
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  await page.goto(`${daemon.url}/#/run/${runs[0]}`);
  await page.getByRole('button', {name: 'Cancel'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'End the job'}).click();
  await page.locator('.state.cancelled').waitFor();
  await close(page);
});

test('a training counts what its algorithm counts', async () => {
  const words = {
    nfsp: 'ends',
    gpi: 'networks',
    'policy-value': 'rounds',
    value: 'stages',
    evolve: 'generations',
  };
  const page = await open('#/');
  for (const [algorithm, steps] of Object.entries(words)) {
    const spec = {algorithm, iterations: 2};
    const {id, runs} = await daemon.post('/v1/jobs', {kind: 'train', spec});
    await page.goto(`${daemon.url}/#/job/${id}`);
    await page.getByText(`, 2 ${steps}`).first().waitFor();
    await page.goto(`${daemon.url}/#/run/${runs[0]}`);
    await page
      .getByLabel('Against')
      .locator('option', {hasText: steps})
      .waitFor({state: 'attached'});
    await daemon.post(`/v1/jobs/${id}/cancel`, {});
  }
  await close(page);
});

/** Records the queries of curves that a page sends: {asked, asks(wanted): resolves to the next
 * query that wanted() accepts}. */
function queriesOf(page) {
  const isQuery = request => /metrics.query/.test(request.url());
  const asked = [];
  page.on('request', request => isQuery(request) && asked.push(request.postDataJSON()));
  const asks = async wanted => {
    const fits = request => isQuery(request) && wanted(request.postDataJSON());
    return (await page.waitForRequest(fits)).postDataJSON();
  };
  return {asked, asks};
}

/** A curve out of sight is loaded when it scrolls into view, with no more points than pixels. */
async function checkFarCurve(page, {asked}) {
  const names = () => new Set(asked.flatMap(body => body.names));
  const last = page.locator('section[data-curve="cpu_s"]');
  assert.ok(names().has('win_rate/ai-simple') && !names().has('cpu_s'));
  await last.scrollIntoViewIfNeeded();
  await last.locator('.u-legend').waitFor();
  assert.ok(names().has('cpu_s'));
  const {width} = await last.locator('.chart').boundingBox();
  assert.deepEqual(
    asked.filter(body => !(body.max_points <= width)),
    [],
  );
  return last;
}

/** Zooming with the mouse or the fields loads a finer part; a button shows all again. */
async function checkZoom(page, chart, {asks}) {
  const dragged = asks(body => body.from_step !== undefined);
  const over = await chart.locator('.u-over').boundingBox();
  const y = over.y + over.height / 2;
  await page.mouse.move(over.x + 0.4 * over.width, y);
  await page.mouse.down();
  await page.mouse.move(over.x + 0.6 * over.width, y, {steps: 3});
  await page.mouse.up();
  const {from_step: from, to_step: to} = await dragged;
  assert.ok(from > 0 && from < to && to < 200, `from ${from} to ${to}`);
  assert.equal(await page.getByLabel('from', {exact: true}).inputValue(), `${from}`);
  const written = asks(body => body.to_step === 150);
  await page.getByLabel('to', {exact: true}).fill('150');
  await page.keyboard.press('Enter');
  assert.equal((await written).from_step, from);
  const whole = asks(body => body.from_step === undefined && body.to_step === undefined);
  await page.getByRole('button', {name: 'Whole range'}).click();
  await whole;
}

test('seeds are drawn one by one or as their mean', async () => {
  const job = await seeds();
  const page = await open(`#/job/${job.id}`);
  const queries = queriesOf(page);
  await page.getByRole('link', {name: 'Curves'}).click();
  const mean = page.getByRole('button', {name: 'Mean over seeds'});
  assert.equal(await mean.getAttribute('aria-pressed'), 'true');
  if (await chartsShown(page)) {
    const rate = page.locator('section[data-curve="win_rate/ai-simple"]');
    await rate.getByText('mean, 3 seeds').waitFor();
    assert.deepEqual(
      queries.asked.filter(body => body.aggregate !== 'mean'),
      [],
    );
    const time = page.getByLabel('Against').locator('option[value=time]');
    const isDisabled = await time.evaluate(option => option.disabled);
    assert.equal(isDisabled, true, 'runs share no time of day');
    await mean.click();
    await rate
      .getByText(/seed 3/)
      .first()
      .waitFor();
    await checkZoom(page, await checkFarCurve(page, queries), queries);
  }
  await close(page);
});

test('a training can branch from a checkpoint of another one', async () => {
  const job = await seeds();
  const page = await open(`#/run/${job.runs[0]}`);
  await page.getByRole('link', {name: 'Branch'}).first().click();
  await page.getByLabel('iterations', {exact: true}).waitFor();
  assert.equal(await page.getByLabel('iterations', {exact: true}).inputValue(), '400');
  await page.getByText('It would take').waitFor();
  await page.getByRole('button', {name: 'Start the job'}).click();
  await page.waitForURL(/#\/job\/\d+/);
  await page.locator('.state.done').waitFor({timeout: TRAINING_MS});
  const branch = await daemon.get(`/v1/jobs/${page.url().match(/\d+$/)[0]}`);
  assert.equal(branch.spec.from.run, job.runs[0]);
  assert.deepEqual(branch.spec.hyper, job.spec.hyper);
  await close(page);
});

test('values that are not finite leave gaps, and the page says so', async () => {
  const page = await open('#/');
  await page.route('**/v1/metrics/query', route =>
    route.fulfill({
      json: {
        curves: [
          {
            run,
            name: 'throws_per_s',
            points: [
              [0, 1, 0],
              [1, 'NaN', 1],
              [2, 'Infinity', 2],
              [3, 5, 3],
            ],
          },
        ],
      },
    }),
  );
  await page.goto(`${daemon.url}/#/run/${run}`);
  await page.getByText(/2 values are not finite|Charts are not built into/).waitFor();
  await close(page);
});

/** Opens the run with this curve in place of its own. */
async function openCurve(values) {
  const page = await open('#/');
  const points = values.map((value, k) => [k, value, k]);
  await page.route('**/v1/metrics/query', route =>
    route.fulfill({json: {curves: [{run, name: 'throws_per_s', points}]}}),
  );
  await page.goto(`${daemon.url}/#/run/${run}`);
  return page;
}

const waves = Array.from({length: 60}, (_, k) => 10 + Math.sin(k));

test('one extreme value does not press a curve flat, and a mark says where it is', async () => {
  const page = await openCurve([...waves, 1e9]);
  const chart = page.locator('section[data-curve="throws_per_s"]');
  if (await chartsShown(page)) {
    await chart.getByText('1 value is far from the others').waitFor();
    await page.getByRole('button', {name: 'Cut extremes'}).click();
    await chart.getByText('far from the others').waitFor({state: 'detached'});
  }
  await close(page);
});

test('a curve can be smoothed; what was measured stays behind it', async () => {
  const page = await openCurve(waves);
  if (await chartsShown(page)) {
    const legend = page.locator('section[data-curve="throws_per_s"] .u-legend');
    await legend.getByText('Throws of the simulator').waitFor();
    assert.equal(await legend.locator('.interval').count(), 0);
    await page.getByLabel('Smoothing').fill('0.9');
    await legend.locator('.interval').waitFor({state: 'attached'});
    assert.equal(await legend.locator('.u-series:not(.interval)').count(), 2); // the axis is one
  }
  await close(page);
});

test('the CSV of a training has all its curves; an error of it stays', async () => {
  const job = await seeds();
  const page = await open(`#/run/${job.runs[0]}`);
  const {metrics} = await daemon.get(`/v1/runs/${job.runs[0]}`);
  assert.ok(metrics.length > 20, 'more curves than one answer may have at full length');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', {name: 'CSV'}).click();
  const lines = readFileSync(await (await saving).path(), 'utf8')
    .trim()
    .split('\n');
  assert.equal(lines[0], 'step,name,value,at_ms');
  const names = lines.slice(1).map(line => line.match(/^\d+,"((?:[^"]|"")*)",[^,]+,\d+$/)[1]);
  assert.deepEqual([...new Set(names)].sort(), [...metrics].sort());
  const json = {title: 'No curves today', status: 400, detail: 'ask tomorrow'};
  await page.route('**/v1/metrics/query', route =>
    route.request().postDataJSON().max_points === 10000
      ? route.fulfill({status: 400, json})
      : route.continue(),
  );
  await page.getByRole('button', {name: 'CSV'}).click();
  await page.getByRole('alert').getByText('ask tomorrow').waitFor();
  const asked = page.waitForResponse(/metrics.query/);
  await page.getByLabel('to', {exact: true}).fill('90');
  await page.keyboard.press('Enter');
  if (await chartsShown(page)) await asked;
  await page.evaluate(() => new Promise(done => window.requestAnimationFrame(done)));
  assert.equal(await page.getByRole('alert').getByText('ask tomorrow').count(), 1);
  await close(page);
});
