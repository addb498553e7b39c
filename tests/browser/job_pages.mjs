// Jobs: the form of a new one, and what came out.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, daemon, match, open} from './fixture.mjs';

test('the form of a training follows its choices', async () => {
  const page = await open('#/new/train');
  await page.getByText('It would take').waitFor();
  await page.getByLabel('algorithm', {exact: true}).selectOption('ppo');
  await page.getByLabel('train opponents', {exact: true}).waitFor();
  await page.getByRole('checkbox', {name: 'hyper'}).check();
  await page.getByLabel('clip ratio', {exact: true}).fill('7');
  await page.getByText('7 is not in').waitFor();
  await page.getByLabel('algorithm', {exact: true}).selectOption('dqn');
  assert.equal(await page.getByLabel('clip ratio', {exact: true}).count(), 0);
  await page.getByRole('checkbox', {name: 'network'}).check();
  assert.equal(await page.getByLabel('channels', {exact: true}).count(), 0);
  await page.getByLabel('architecture', {exact: true}).selectOption('conv7');
  await page.getByLabel('channels', {exact: true}).waitFor();
  assert.equal(await page.getByLabel('hidden', {exact: true}).count(), 0);
  await page.getByLabel('seeds', {exact: true}).fill('1, 1');
  await page.getByText('is in the list already').waitFor();
  await close(page);
});

test('mistakes in a new job stand at their fields; then it is started', async () => {
  const page = await open('#/new/match');
  await page.getByLabel('a *', {exact: true}).fill('ai-simple');
  await page.getByLabel('b *', {exact: true}).fill('no-such-player');
  await page.getByLabel('pairs', {exact: true}).fill('0');
  await page.getByText('0 is not in 1..10000000').waitFor();
  assert.equal(await page.getByLabel('pairs', {exact: true}).getAttribute('aria-invalid'), 'true');
  await page.getByLabel('pairs', {exact: true}).fill('1');
  await page.getByLabel('b *', {exact: true}).fill('random');
  await page.getByText('It would take').waitFor();
  await page.getByRole('button', {name: 'Start the job'}).click();
  await page.waitForURL(/#\/job\/\d+/);
  await page.locator('.state.done').waitFor();
  await close(page);
});

/** A page of the job `match`, where the service says something else about it. */
async function openOther(changes) {
  const page = await open('#/');
  await page.route(`**/v1/jobs/${match.id}`, route =>
    route.fulfill({json: {...match, ...changes}}),
  );
  await page.goto(`${daemon.url}/#/job/${match.id}`);
  return page;
}

test('an interval without an end is told in words', async () => {
  const won = {win_percent: 95, elo: 500, elo_interval: [120.4, null]};
  const page = await openOther({result: {...match.result, ...won}});
  await page.getByText('+500.00 Elo (120.4 or more)').waitFor();
  await close(page);
});

test('a mean is shown with its error', async () => {
  const mean = points => ({points, standard_error: 0.1});
  const page = await openOther({
    kind: 'exploitability',
    spec: {player: 'random', profile: 'dc2', ends: 2},
    result: {player: 'random', sente: mean(6.5), gote: mean(4), nash_conv: mean(10.5)},
  });
  await page.getByText('10.50 ± 0.20 points/end').waitFor();
  await close(page);
});
