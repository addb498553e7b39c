// Markup in names, pages that do not exist, tokens, restarts of the service.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
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
