// Nodes: what each does and what is refused, pausing one, forgetting it.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Daemon} from './daemon.mjs';
import {close, open} from './fixture.mjs';

async function register(service, body) {
  const answer = await service.post('/v1/nodes', body);
  assert.ok(answer.session, JSON.stringify(answer));
  return answer;
}

test('a node is shown, paused and forgotten', async context => {
  const service = new Daemon('nodes');
  context.after(() => service.stop());
  await service.start();
  const page = await open('#/nodes', {url: service.url});
  await page.getByText('There are no nodes').waitFor();
  const versions = {protocol: 3};
  await register(service, {name: 'lab-7', cores: 3, versions, golden: {}, place: 'batch job 12'});

  const row = page.getByRole('row').filter({hasText: 'lab-7'});
  await row.getByText('batch job 12').waitFor();
  await row.getByText('is missing there').first().waitFor();
  await row.getByRole('button', {name: 'Pause'}).click();
  await row.getByText('paused').waitFor();
  await row.getByRole('button', {name: 'Resume'}).click();
  await row.getByText('active').waitFor();
  await row.getByRole('button', {name: 'Forget'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Forget'}).click();
  await page.getByText('There are no nodes').waitFor();
  assert.deepEqual((await service.get('/v1/nodes')).items, []);
  await close(page);
});
