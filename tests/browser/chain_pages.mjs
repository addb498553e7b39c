// Jobs after others, repetitions, and moves of many jobs.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Daemon} from './daemon.mjs';
import {close, open, until} from './fixture.mjs';

const REQUEST = {kind: 'diagnose', spec: {seconds: 1}};

async function startIdle(context, name) {
  const service = new Daemon(name, '--workers', '0');
  context.after(() => service.stop());
  await service.start();
  return service;
}

test('jobs name those they wait for, as links', async context => {
  const service = await startIdle(context, 'chain');
  const first = await service.post('/v1/jobs', REQUEST);
  const second = await service.post('/v1/jobs', {...REQUEST, after: [first.id]});
  const page = await open(`#/job/${second.id}`, {url: service.url});
  await page.getByText(`Waits: job ${first.id} has not ended`).waitFor();
  await page.getByText('it is cancelled').waitFor();
  await page.locator(`a[href="#/job/${first.id}"]`).click();
  await page.locator(`a[href="#/job/${second.id}"]`).waitFor();
  await close(page);
});

test('a job is repeated with another seed', async context => {
  const service = await startIdle(context, 'repeat');
  const spec = {a: 'ai-simple', b: 'random', pairs: 1, seed: 7};
  const {id} = await service.post('/v1/jobs', {kind: 'match', spec});
  const page = await open(`#/job/${id}`, {url: service.url});
  await page.getByLabel('Seed').fill('41');
  await page.getByRole('button', {name: 'Repeat'}).click();
  await page.waitForURL(url => url.hash === `#/job/${id + 1}`);
  await page.locator(`a[href="#/job/${id}"]`).waitFor();
  const again = await service.get(`/v1/jobs/${id + 1}`);
  assert.equal(again.spec.seed, 41);
  assert.equal(again.repeat_of, id);
  await close(page);
});

test('all jobs of a list are moved after a question with their number', async context => {
  const service = await startIdle(context, 'many');
  for (let k = 0; k < 12; k++) await service.post('/v1/jobs', REQUEST);
  const count = async state =>
    (await service.get(`/v1/jobs?state=${state}&limit=100`)).items.length;
  const page = await open('#/', {url: service.url});
  const ask = () => page.getByRole('button', {name: 'Cancel all of them'}).click();
  await ask();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('End 12 jobs?').waitFor();
  await dialog.getByRole('button', {name: 'Keep all jobs'}).click();
  assert.equal(await count('ready'), 12);
  await ask();
  await dialog.getByRole('button', {name: 'End 12 jobs'}).click();
  await until(async () => (await count('cancelled')) === 12, 'cancelled');
  await page.getByText('The queue is empty.').waitFor();
  await page.getByLabel('state of the jobs to delete').selectOption('cancelled');
  await page.getByRole('button', {name: 'Delete all of them'}).click();
  await dialog.getByText('Delete 12 jobs?').waitFor();
  await dialog.getByRole('button', {name: 'Delete 12 jobs'}).click();
  await until(async () => (await count('cancelled')) === 0, 'deleted');
  await close(page);
});
