// Callers with tokens: who has what in the queue, and who did what to a job.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {Daemon} from './daemon.mjs';
import {close, open} from './fixture.mjs';

/** A token and its line for the tokens file. */
const newToken = text =>
  execFileSync(process.env.RINKD, ['--new-token', text], {encoding: 'utf8'}).split('\n');

test('callers and their limits are on the overview, owners on the page of a job', async context => {
  const [annsToken, annsLine] = newToken('train:ann');
  const [rootsToken, rootsLine] = newToken('train,admin:root');
  const file = `${process.env.RINKD_TEST_WORK}/caller-tokens`;
  const lines = `${annsLine} jobs=5\n${rootsLine}\n`;
  writeFileSync(file, lines, {mode: 0o600});
  const service = new Daemon('callers', '--tokens', file, '--workers', '0');
  context.after(() => service.stop());
  await service.start();
  const send = async (token, path, body) => {
    const headers = {'Content-Type': 'application/json', Authorization: `Bearer ${token}`};
    const method = 'POST';
    const answer = await fetch(service.url + path, {method, headers, body: JSON.stringify(body)});
    assert.equal(answer.status, 202);
    return answer.json();
  };
  const {id} = await send(annsToken, '/v1/jobs', {kind: 'diagnose', spec: {seconds: 1}});

  const page = await open('#/', {url: service.url});
  await page.getByRole('textbox', {name: 'Token'}).fill(rootsToken);
  await page.keyboard.press('Enter');
  await page.locator('.caller').getByText('may train, admin').waitFor();
  const row = page.getByRole('row').filter({hasText: 'train'}).filter({hasText: 'ann'});
  await row.getByText('1 of 5').waitFor();
  await page.getByRole('row').filter({hasText: 'root'}).getByText('train, admin').waitFor();

  await send(rootsToken, `/v1/jobs/${id}/cancel`, {reason: 'enough'});
  await page
    .getByRole('link', {name: `${id}`, exact: true})
    .first()
    .click();
  await page.getByText('owner', {exact: true}).waitFor();
  const added = page.getByRole('row').filter({hasText: 'added'});
  await added.getByText('ann').waitFor();
  const cancelled = page.getByRole('row').filter({hasText: 'cancelled'});
  await cancelled.getByText('root').waitFor();
  await cancelled.getByText('enough').waitFor();
  await page.getByRole('button', {name: 'Log out'}).click();
  await page.getByRole('textbox', {name: 'Token'}).fill(annsToken);
  await page.keyboard.press('Enter');
  await page.locator('.caller').getByText('ann').waitFor();
  await close(page);
});
