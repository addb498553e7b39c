// Markup in names, pages that do not exist, tokens, restarts of the service.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {createServer, request as sendRequest} from 'node:http';
import {test} from 'node:test';
import {Daemon} from './daemon.mjs';
import {close, daemon, newContext, open, run, until} from './fixture.mjs';

test('markup in names stays text', async () => {
  await daemon.post(
    `/v1/runs/${run}`,
    {tags: {note: '<img src=x onerror="window.bad = true"><b>bold</b>'}},
    'PATCH',
  );
  const page = await open('#/runs');
  await page.getByText('<b>bold</b>').waitFor();
  assert.equal(await page.locator('main img, main b b').count(), 0);
  assert.equal(await page.evaluate(() => window.bad), undefined);
  await close(page);
});

test('a page and a job that do not exist show a message', async () => {
  let page = await open('#/nowhere');
  await page.getByText('There is no such page').waitFor();
  await close(page);
  page = await open('#/job/999999');
  await page.getByRole('alert').getByText('There is nothing here').waitFor();
  assert.equal(await page.getByRole('button', {name: 'Try again'}).count(), 0);
  await page.goto(`${daemon.url}/#/games/99/99-0-0`);
  await page.getByRole('link', {name: 'To all games'}).click();
  await page.waitForURL(/#\/games$/);
  await close(page);
});

test('the page asks for a token and keeps it for the tab', async context => {
  const guarded = new Daemon('guarded');
  context.after(() => guarded.stop());
  const asked = ['--new-token', 'query,train:ann'];
  const [token, line] = execFileSync(process.env.RINKD, asked, {encoding: 'utf8'}).split('\n');
  const file = `${process.env.RINKD_TEST_WORK}/tokens`;
  writeFileSync(file, `${line}\n`, {mode: 0o600});
  guarded.flags = ['--tokens', file];
  await guarded.start();
  const page = await open('#/', {url: guarded.url});
  const dialog = page.getByRole('dialog', {name: 'A token is needed'});
  const field = page.getByRole('textbox', {name: 'Token'});
  await dialog.waitFor();
  await field.fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('This token is not known here').waitFor();
  await field.fill(token);
  await page.keyboard.press('Enter');
  await page.getByText('The queue is empty').waitFor();
  await page.reload();
  await page.getByText('The queue is empty').waitFor();
  assert.equal(await dialog.isVisible(), false);
  await close(page);
});

/** A proxy that shows the service below /ice/ and takes that off, as most do. */
async function proxyOf(service, context) {
  const proxy = createServer((asked, answer) => {
    if (!asked.url.startsWith('/ice/')) return answer.writeHead(404).end();
    const {method, headers} = asked;
    const address = service.url + asked.url.slice('/ice'.length);
    const passed = sendRequest(address, {method, headers}, got => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise(resolve => proxy.listen(0, '127.0.0.1', resolve));
  context.after(() => proxy.closeAllConnections() ?? proxy.close());
  return `http://127.0.0.1:${proxy.address().port}`;
}

test('the pages work below a path of a proxy', async context => {
  const proxy = await proxyOf(daemon, context);
  const page = await open('ice/#/', {url: proxy});
  await page.locator('#connection', {hasText: 'ready'}).waitFor();
  await page.getByRole('link', {name: 'Board', exact: true}).click();
  await page.getByText('Nobody counts').waitFor();
  await page.getByRole('link', {name: 'Runs', exact: true}).click();
  await page
    .getByRole('cell', {name: /diagnose/})
    .first()
    .waitFor();
  await close(page);
  const service = new Daemon('below', '--workers', '0', '--base-path', '/ice');
  context.after(() => service.stop());
  await service.start();
  const direct = await open('ice#/board', {url: service.url});
  await direct.getByText('Nobody counts').waitFor();
  assert.equal(new URL(direct.url()).pathname, '/ice/');
  await close(direct);
});

test('a page whose files could not be fetched opens when the service is back', async context => {
  const service = new Daemon('away', '--workers', '0');
  context.after(() => service.stop());
  await service.start();
  const page = await open('#/', {url: service.url});
  await page.getByText('The queue is empty').waitFor();
  await service.stop();
  await page.getByRole('link', {name: 'Board', exact: true}).click();
  await page.getByText('The service cannot be reached').first().waitFor();
  await service.start();
  await page.getByText('Nobody counts').waitFor();
  await close(page);
});

test('the page reconnects after a restart of the service', async () => {
  const page = await open('#/');
  await page.locator('#connection[data-state=ready]').waitFor();
  const rows = page.locator('main td a[href^="#/job/"]');
  await rows.first().waitFor();
  const known = await rows.allTextContents();
  let failed = 0;
  page.on('requestfailed', one => (failed += /\/v1\/jobs\?/.test(one.url())));
  await daemon.stop();
  await page.locator('#connection[data-state=lost]').waitFor();
  await until(() => failed > 12, 'two failed loads of the jobs');
  assert.deepEqual(await rows.allTextContents(), known, 'what was known stays');
  await daemon.start();
  await page.locator('#connection[data-state=ready]').waitFor();
  const {id} = await daemon.post('/v1/jobs', {kind: 'diagnose', spec: {seconds: 1}});
  await page
    .getByRole('link', {name: `${id}`, exact: false})
    .first()
    .waitFor();
  await close(page);
});

test('a request without an answer is abandoned and sent again', async () => {
  const context = await newContext();
  for (const path of ['/readyz', '/v1/job-kinds'])
    await context.route(`**${path}`, () => {}, {times: 1});
  const page = await open('#/', {context});
  await page.locator('#connection[data-state=ready]').waitFor();
  // Newer jobs may have pushed the first one off the list.
  await page.locator('main a[href^="#/job/"]').first().waitFor();
  await close(page);
});
