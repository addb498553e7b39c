// A kind of job that the dashboard does not know: it draws the form and the result from the
// description in GET /v1/job-kinds.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, daemon, match, open, showJob} from './fixture.mjs';

const sprint = {
  type: 'object',
  properties: {metres: {type: 'integer', minimum: 1, maximum: 100, description: 'how far'}},
  required: ['metres'],
  additionalProperties: false,
};
const schema = {
  type: 'object',
  description: 'not shown: the kind says what it is for',
  properties: {
    sweepers: {type: 'array', items: {type: 'string'}, minItems: 1, description: 'who sweeps'},
    brush: {type: 'string', enum: ['hair', 'foam'], default: 'foam', description: 'the head'},
    pressure: true,
    wet: {type: 'boolean', default: false, description: 'or dry'},
    sprint: {...sprint, description: 'before it'},
  },
  required: ['sweepers'],
  additionalProperties: false,
  allOf: [
    {
      if: {properties: {brush: {enum: ['hair']}}, required: ['brush']},
      then: {properties: {pressure: {type: 'number', description: 'newtons', default: 12.5}}},
    },
    {
      if: {properties: {brush: {enum: ['foam']}}},
      then: {properties: {pressure: false}},
    },
  ],
};
const kind = {
  name: 'sweep',
  about: 'How far a stone is swept',
  scope: 'train',
  internal: false,
  has_runs: false,
  has_tasks: false,
  plays_games: false,
  makes_models: false,
  can_be_tried: false,
  followed_by: null,
  result: [
    {
      rows: [],
      columns: [
        {member: 'further.points', label: 'swept', unit: 'm', format: 'tenths'},
        {member: 'interval', label: 'at most', unit: 'm', format: 'interval'},
        {member: 'nothing', label: 'left out', unit: null, format: 'number'},
      ],
    },
    {
      rows: ['sweepers'],
      columns: [
        {member: 'name', label: 'sweeper', unit: null, format: 'text'},
        {member: 'strokes', label: 'strokes', unit: null, format: 'number'},
      ],
    },
  ],
  curves: [],
  href: '/v1/job-kinds/sweep',
};

/** Opens a page of a service that also has this kind: {page, asked: the jobs that it submits}. */
async function openWithKind(address, job) {
  const page = await open('#/nowhere');
  const asked = [];
  await page.route('**/v1/job-kinds', async route => {
    const {items} = await daemon.get('/v1/job-kinds');
    await route.fulfill({json: {items: [...items, kind], next_cursor: null}});
  });
  await page.route('**/v1/job-kinds/sweep', route => route.fulfill({json: {...kind, schema}}));
  await page.route('**/v1/jobs', route => {
    const body = route.request().postDataJSON();
    asked.push(body);
    const errors = [{pointer: '/spec/sprint/metres', code: 'value', message: 'too far'}];
    return body.spec.sprint?.metres > 100
      ? route.fulfill({status: 422, json: {title: 'Wrong', status: 422, errors}})
      : route.fulfill({json: {id: match.id, ...body, estimate_s: 7}});
  });
  if (job) await showJob(page, job);
  await page.goto(`${daemon.url}/${address}`);
  return {page, asked};
}

test('the form of an unknown kind follows its description', async () => {
  const {page, asked} = await openWithKind('#/new/match');
  await page.locator('#kind').selectOption('sweep');
  await page.getByText('How far a stone is swept').waitFor();
  const field = name => page.getByLabel(name, {exact: true});
  await field('sweepers *').fill('Anna\nBela');
  assert.equal(await field('pressure').count(), 0);
  await field('brush').selectOption('hair');
  await field('pressure').fill('9.5');
  await field('wet').check();
  assert.equal(await field('metres *').count(), 0);
  await page.getByRole('checkbox', {name: 'sprint'}).check();
  await field('metres *').fill('500');
  await page.getByText('how far (1 to 100)').waitFor();
  await page.getByText('too far').waitFor();
  assert.equal(await field('metres *').getAttribute('aria-invalid'), 'true');
  await field('metres *').fill('5');
  await page.getByText('It would take about 7.0 s').waitFor();
  await page.getByRole('button', {name: 'Start the job'}).click();
  await page.waitForURL(/#\/job\/\d+/);
  const {kind: name, spec} = asked.at(-1);
  assert.equal(name, 'sweep');
  const wanted = {sweepers: ['Anna', 'Bela'], brush: 'hair', pressure: 9.5, wet: true};
  assert.deepEqual(spec, {...wanted, sprint: {metres: 5}});
  await close(page);
});

test('the result of an unknown kind follows its columns', async () => {
  const sweepers = [
    {name: 'Anna', strokes: 1200},
    {name: 'Bela', strokes: 900},
  ];
  const result = {further: {points: 3.25}, interval: [1, null], sweepers};
  const job = {...match, kind: 'sweep', spec: {brush: 'hair'}, result};
  const {page} = await openWithKind(`#/job/${match.id}`, job);
  await page.getByText('3.3 m (1.0 or more)').waitFor();
  assert.equal(await page.getByText('left out').count(), 0);
  await page.getByRole('columnheader', {name: 'strokes'}).waitFor();
  await page.getByRole('row', {name: 'Bela 900'}).waitFor();
  // The overview shows the last jobs alone, and others have ended since.
  const last = {id: job.id, finished_at: '2999-12-31T00:00:00.000Z'};
  await page.route(/\/v1\/jobs\?.*state=done/, route =>
    route.fulfill({json: {items: [last], next_cursor: null}}),
  );
  await page.goto(`${daemon.url}/#/`);
  await page.getByText('swept 3.3 m').waitFor();
  await close(page);
});
