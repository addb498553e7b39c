// Webhooks on the overview: adding one, testing it, what was sent, deleting it.
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {test} from 'node:test';
import {Daemon} from './daemon.mjs';
import {close, open} from './fixture.mjs';

test('a webhook is added, tested and deleted', async context => {
  const service = new Daemon('webhooks', '--webhook-addresses', 'any');
  context.after(() => service.stop());
  await service.start();
  const receiver = createServer((_request, answer) => answer.writeHead(503).end());
  context.after(() => receiver.close());
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = `http://127.0.0.1:${receiver.address().port}/hook`;

  const page = await open('#/', {url: service.url});
  await page.getByText('Nobody is told when a job ends.').waitFor();
  await page.getByText('Add a webhook').click();
  await page.getByLabel('URL').fill('ftp://example.org/');
  await page.getByRole('button', {name: 'Add'}).click();
  await page.getByText('must begin with http').waitFor();
  await page.getByLabel('URL').fill(address);
  await page.getByLabel('cancelled').uncheck();
  await page.getByRole('button', {name: 'Add'}).click();
  await page.getByText('whsec_').waitFor();
  const hook = page.getByRole('group', {name: 'Webhook 1'});
  await hook.getByText(address).waitFor();
  await hook.getByText('done, failed').waitFor();

  await hook.getByRole('button', {name: 'Test'}).click();
  await hook.getByText('it answered 503').waitFor();
  await hook.getByText('1 waiting').waitFor();
  await hook.getByRole('button', {name: 'Delete'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Delete'}).click();
  await page.getByText('Nobody is told when a job ends.').waitFor();
  assert.deepEqual((await service.get('/v1/webhooks')).items, []);
  await close(page);
});
