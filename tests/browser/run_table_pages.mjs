// The table of runs, their tags and differences; forms, dates and paper.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, daemon, open, run} from './fixture.mjs';

test('runs are filtered, sorted by a value and told apart by what differs', async () => {
  const [other] = (await daemon.work('diagnose', {seconds: 1})).runs;
  const page = await open('#/runs');
  const row = id => page.getByRole('row').filter({hasText: id.slice(0, 8)});
  await row(other).waitFor();
  await row(run).waitFor();
  await page.getByLabel('columns of what differs').check();
  await page.getByRole('columnheader', {name: 'seconds'}).waitFor();
  const metric = page.getByLabel('Last value of');
  const names = await metric.locator('option').allTextContents();
  assert.ok(names.length > 1);
  await metric.selectOption({label: names[1]});
  await page.getByRole('columnheader', {name: names[1]}).waitFor();
  const label = names[1][0].toLowerCase() + names[1].slice(1);
  const values = async order => {
    await page.getByLabel('Order').selectOption(order);
    return (await page.locator(`tbody td[data-head="${label}"]`).allTextContents())
      .map(text => Number(text.replaceAll(',', '')))
      .filter(Number.isFinite);
  };
  const rising = await values('lowest');
  assert.deepEqual(
    rising,
    rising.toSorted((a, b) => a - b),
  );
  assert.deepEqual(await values('highest'), rising.toReversed());
  await page.getByLabel('Filter').fill(`diagnose ${other.slice(0, 8)}`);
  await row(run).waitFor({state: 'detached'});
  assert.equal(await row(other).count(), 1);
  await page.getByLabel('Filter').fill('no such words');
  await page.getByText('No run has all these words.').waitFor();
  await page.goto(`${daemon.url}/#/run/${run},${other}`);
  const differs = page.getByRole('region', {name: 'What differs'});
  await differs.getByText('seconds').waitFor();
  await close(page);
});

test('a note is written to a run, shown in the table, and taken off', async () => {
  const page = await open(`#/run/${run}`);
  await page.getByLabel('Text').fill('the <first> one');
  await page.getByRole('button', {name: 'Set the tag'}).click();
  await page.getByText('note: the <first> one').waitFor();
  await page.goto(`${daemon.url}/#/runs`);
  await page.getByText('note=the <first> one').waitFor();
  await page.goto(`${daemon.url}/#/run/${run}`);
  await page.getByRole('button', {name: 'remove tag note'}).click();
  await page.getByText('the <first> one').waitFor({state: 'detached'});
  await close(page);
});

test('a form keeps what was filled in when the kind changes and comes back', async () => {
  const page = await open('#/new/match');
  await page.getByLabel('pairs', {exact: true}).fill('77');
  await page.locator('#kind').selectOption('tournament');
  await page.locator('#kind').selectOption('match');
  assert.equal(await page.getByLabel('pairs', {exact: true}).inputValue(), '77');
  await close(page);
});

test('a moment names the zone of the reader, without AM and PM', async () => {
  const page = await open('#/runs', {locale: 'en-US', timezoneId: 'Asia/Tokyo'});
  const title = await page.locator('time').first().getAttribute('title');
  assert.match(title, /^\d+ \w+ 2\d{3}, \d\d:\d\d:\d\d (GMT\+9|JST)$/);
  await close(page);
});

test('on paper there is the page without its navigation, in light colours', async () => {
  const page = await open('#/runs', {colorScheme: 'dark'});
  await page.locator('time').first().waitFor();
  await page.emulateMedia({media: 'print', colorScheme: 'dark'});
  assert.equal(await page.locator('header').isVisible(), false);
  const ink = await page.evaluate(() => getComputedStyle(document.body).color);
  const [red] = ink.match(/\d+/g).map(Number);
  assert.ok(red < 100, ink);
  await close(page);
});
