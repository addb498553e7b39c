// Retention on the overview: the rules, a dry run, the removal, the newest backup.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Daemon} from './daemon.mjs';
import {close, open} from './fixture.mjs';

test('what goes by the rules is shown and removed', async context => {
  const service = new Daemon('retention', '--workers', '0', '--keep-jobs', '2');
  context.after(() => service.stop());
  await service.start();
  for (let k = 0; k < 5; k++) {
    const {id} = await service.post('/v1/jobs', {kind: 'diagnose', spec: {seconds: 1}});
    await service.post(`/v1/jobs/${id}/cancel`, {});
  }
  await service.post('/v1/backup');

  const page = await open('#/', {url: service.url});
  const row = page.getByRole('row').filter({hasText: 'Ended jobs'});
  await row.getByText('2', {exact: true}).waitFor();
  await row.getByText('3', {exact: true}).waitFor();
  await page.getByText('Newest backup').waitFor();
  await page.getByRole('button', {name: 'Remove now'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Keep them'}).click();
  await page.getByRole('button', {name: 'Remove now'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Remove them for good'}).click();
  await row.getByText('0', {exact: true}).waitFor();
  assert.equal(await page.getByRole('button', {name: 'Remove now'}).count(), 0);
  const left = (await service.get('/v1/jobs')).items.map(({id}) => id);
  assert.deepEqual(left, [5, 4]);
  await close(page);
});
