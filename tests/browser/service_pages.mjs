// The dashboard and the service: names that are markup, pages that are not there, tokens, restarts.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {Daemon} from './daemon.mjs';
import {close, daemon, newContext, open, run} from './fixture.mjs';

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

test('a page that is not there, a job that is not there', async () => {
  let page = await open('#/nowhere');
  await page.getByText('There is no such page').waitFor();
  await close(page);
  page = await open('#/job/999999');
  await page.getByRole('alert').getByText('There is nothing here').waitFor();
  await close(page);
});

test('a token is asked for and kept for the tab', async context => {
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

test('the page finds the service again after a restart', async () => {
  const page = await open('#/');
  await page.locator('#connection[data-state=ready]').waitFor();
  await daemon.stop();
  await page.locator('#connection[data-state=lost]').waitFor();
  await daemon.start();
  await page.locator('#connection[data-state=ready]').waitFor();
  const {id} = await daemon.post('/v1/jobs', {kind: 'diagnose', spec: {seconds: 1}});
  await page
    .getByRole('link', {name: `${id}`, exact: false})
    .first()
    .waitFor();
  await close(page);
});

test('a request that is never answered is given up and sent again', async () => {
  const context = await newContext();
  for (const path of ['/readyz', '/v1/job-kinds'])
    await context.route(`**${path}`, () => {}, {times: 1});
  const page = await open('#/', {context});
  await page.locator('#connection[data-state=ready]').waitFor();
  // The first job may not be among the newest any more.
  await page.locator('main a[href^="#/job/"]').first().waitFor();
  await close(page);
});
