// The pages of ladders, matches and games.
import assert from 'node:assert/strict';
import {connect} from 'node:net';
import {createInterface} from 'node:readline';
import {test} from 'node:test';
import {close, daemon, match, open, until} from './fixture.mjs';

/** Waits until games of this kind have been rated. */
const untilRated = games =>
  until(
    async () => (await daemon.get(`/v1/ratings?${games}`)).items.length,
    `a ladder of ${games}`,
  );

test('each number of ends has a ladder of its own', async () => {
  const page = await open('#/ladder/dc3');
  await page.getByText('Rated').waitFor();
  assert.deepEqual(await page.getByLabel('Ends').locator('option').allTextContents(), ['2 ends']);
  const spec = {a: 'ai-simple', b: 'dc3-rulebased', profile: 'dc3', ends: 4, pairs: 2};
  const {id} = await daemon.post('/v1/jobs', {kind: 'match', spec});
  await untilRated('profile=dc3&ends=4');
  await page.getByLabel('Ends').locator('option', {hasText: '4'}).waitFor({state: 'attached'});
  await page.getByLabel('Ends').selectOption('4');
  await page.waitForURL(/#\/ladder\/dc3\/4/);
  await page.getByText('Rated').waitFor();
  await page.getByRole('button', {name: /ai-simple wins .* from dc3-rulebased/}).click();
  await page.getByText(/^\d+: ai-simple$/).waitFor();
  assert.equal((await daemon.get(`/v1/matches?job=${id}`)).items[0].ends, 4);
  await close(page);
});

test('extra ends are named, and games with them have a ladder of their own', async () => {
  const players = {a: 'random', b: 'ai-simple:epsilon=0.8'};
  const spec = {...players, ends: 2, extra_ends: 10, pairs: 10, seed: 3};
  const {id} = await daemon.work('match', spec);
  const number = (await daemon.get(`/v1/matches?job=${id}`)).items[0].id;
  const games = (await daemon.get(`/v1/matches/${number}/games`)).items;
  const longer = games.find(game => game.ends.length > 2);
  const page = await open(`#/job/${id}`, {reducedMotion: 'reduce'});
  await page.getByText('games with extra ends').first().waitFor();
  await page.getByText('random wins, pairs by score').first().waitFor();
  await page.getByText('2 ends and up to 10 extra').first().waitFor();
  await page.goto(`${daemon.url}/#/games/${number}`);
  await page
    .getByTitle(/^extra end 1, with/)
    .first()
    .waitFor();
  await page.goto(`${daemon.url}/#/games/${number}/${longer.id}`);
  await page.getByRole('button', {name: 'Extra end 1', exact: true}).click();
  await page.getByText('Extra end 1, shot 1:').waitFor();
  await page.locator('.sheet .thrown').first().waitFor();
  await untilRated('extra_ends=10');
  await page.goto(`${daemon.url}/#/ladder/dc2`);
  await page.getByLabel('Ends').locator('option', {hasText: 'extra'}).waitFor({state: 'attached'});
  await page.getByLabel('Ends').selectOption('2/10');
  await page.waitForURL(/#\/ladder\/dc2\/2\/10/);
  await page.getByRole('button', {name: /ai-simple:epsilon=0.8 wins .* from random/}).click();
  await close(page);
});

test('a user can step through a game', async () => {
  const page = await open(`#/games/${match.id}/${match.id}-0-0`, {reducedMotion: 'reduce'});
  await page.getByText('End 1, shot 1:').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByText('End 1, shot 2:').waitFor();
  await page.locator('.sheet .thrown').first().waitFor();
  await page.getByRole('button', {name: 'End 2'}).click();
  await page.getByText('End 2, shot 1:').waitFor();
  await close(page);
});

/** The paths on the sheet with this class, by their first points. */
const pathsOf = (page, look) =>
  page
    .locator(`.sheet polyline[class="path ${look}"]`)
    .evaluateAll(lines => lines.map(line => -line.points[0].y));

test('paths of a game are those of the stone that was thrown, whichever its team', async () => {
  const id = `${match.id}-0-0`;
  const page = await open(`#/games/${match.id}/${id}`, {reducedMotion: 'reduce'});
  const SHOTS = 16;
  const HOG_LINE_Y = 11; // of the thrower: stones at rest lie beyond the other one
  let others = 0;
  for (let shot = 1; shot <= SHOTS; shot++) {
    await page.getByText(`End 1, shot ${shot}:`).waitFor();
    await page.locator('.sheet .thrown').first().waitFor();
    const called = await pathsOf(page, '');
    assert.equal(called.length, 1, `shot ${shot}`);
    assert.ok(called[0] < HOG_LINE_Y, `shot ${shot} begins at ${called[0]}`);
    others += (await pathsOf(page, 'other')).filter(y => y > HOG_LINE_Y).length;
    await page.keyboard.press('ArrowRight');
  }
  assert.ok(others > 0, 'no call moved another stone: the test would not notice a mistake');
  await close(page);
});

test('a game of mixed doubles shows its setups and opens on the board', async () => {
  const players = {a: 'doubles-simple', b: 'ai-simple', profile: 'dc4-modified'};
  const {id} = await daemon.work('match', {...players, ends: 2, pairs: 1, seed: 4});
  const number = (await daemon.get(`/v1/matches?job=${id}`)).items[0].id;
  const page = await open(`#/games/${number}/${number}-0-0`, {reducedMotion: 'reduce'});
  await page.getByText('End 1, shot 1:').waitFor();
  await page.getByText(/power play on the right|throws last, stone in the house/).waitFor();
  assert.equal(await page.getByLabel('shot of the game').getAttribute('max'), '19');
  await page.locator('.sheet [data-stone="team0/0"]').waitFor();
  await page.locator('.sheet [data-stone="team1/0"]').waitFor();
  await page.getByRole('button', {name: 'End 2'}).click();
  await page.getByText('End 2, shot 1:').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByText('End 2, shot 2:').waitFor();
  await page.getByRole('link', {name: 'Open on the board'}).click();
  await page.getByText('Shot 2:').waitFor();
  assert.equal(await page.getByRole('combobox', {name: 'Profile'}).inputValue(), 'dc4-modified');
  assert.equal(await page.getByLabel('Next shot (1 to 10)').inputValue(), '2');
  await page.getByRole('button', {name: 'Power play left'}).click();
  await page.getByText('Shot 1:').waitFor();
  assert.equal(await page.locator('.sheet [data-stone]').count(), 2);
  await close(page);
});

test('a game tells whose style the throws are like', async () => {
  const page = await open(`#/games/${match.id}/${match.id}-0-0`, {reducedMotion: 'reduce'});
  await page.getByRole('button', {name: 'Compare with known styles'}).click();
  await page
    .getByText(/^16 throws seen, confidence \d+ %/)
    .first()
    .waitFor();
  assert.equal(await page.getByRole('columnheader', {name: 'Throws like'}).count(), 2);
  await close(page);
});

test('a position of a game opens on the board, with its score', async () => {
  const page = await open(`#/games/${match.id}/${match.id}-0-0`, {reducedMotion: 'reduce'});
  await page.getByRole('button', {name: 'End 2'}).click();
  await page.getByText('End 2, shot 1:').waitFor();
  await page.getByRole('link', {name: 'Open on the board'}).click();
  await page.getByText('Shot 1:').waitFor();
  assert.equal(await page.getByLabel('Ends of the game').inputValue(), '2');
  assert.equal(await page.getByLabel('End', {exact: true}).inputValue(), '2');
  assert.match(await page.getByLabel('Score of red, end by end').inputValue(), /^\d$/);
  await close(page);
});

test('a game does not call it a mistake where two players judge differently', async () => {
  const page = await open(`#/games/${match.id}/${match.id}-0-0`, {reducedMotion: 'reduce'});
  const lines = (await (await fetch(`${daemon.url}/v1/games/${match.id}-0-0`)).text()).split('\n');
  const shots = lines.filter(Boolean).map(line => JSON.parse(line));
  shots.slice(1).forEach((shot, k) => Object.assign(shot, {win_probability: k % 3 ? 0.9 : 0.4}));
  await page.route(`**/v1/games/${match.id}-0-0`, route =>
    route.fulfill({body: shots.map(shot => JSON.stringify(shot)).join('\n')}),
  );
  await page.reload();
  await page.locator('.values polyline').waitFor();
  assert.equal(await page.locator('.values .blunder').count(), 0);
  assert.equal(await page.getByRole('button', {name: /−\d+ %/}).count(), 0);
  await page.locator('.values').click();
  await page.getByText('End 2, shot 1:').or(page.getByText('End 1, shot 16:')).waitFor();
  await close(page);
});

test('the games of a running match are followed on the ice', async () => {
  const players = {a: 'ai-simple', b: 'random', profile: 'dc2', seed: 78};
  const {id} = await daemon.post('/v1/jobs', {kind: 'match', spec: {...players, pairs: 1000000}});
  const page = await open(`#/job/${id}`, {reducedMotion: 'reduce'});
  await page.getByRole('link', {name: 'Watch the games'}).click();
  await page.getByText(/^End 1, shot \d+:/).waitFor();
  await page.locator('.scoreboard').getByText('ai-simple').waitFor();
  const slider = page.getByRole('slider', {name: 'shot of the game'});
  const at = await slider.inputValue(); // a shot is on show for less time than a wait may sleep
  await until(async () => (await slider.inputValue()) !== at, 'the next shot');
  await page.getByText('There is a newer game.').waitFor();
  await slider.fill('31');
  await page.getByText('There is a newer game.').waitFor();
  await daemon.post(`/v1/jobs/${id}/cancel`, {});
  await close(page);
});

/** A client of Digital Curling 3 that throws when it is told to, once it is its turn. */
class Client {
  #turns = []; // who waits for a turn
  #isTurn = false;

  constructor(port, team) {
    this.socket = connect(port, '127.0.0.1');
    // The host may hang up first, even by a reset.
    this.closed = new Promise(resolve => this.socket.on('error', () => {}).on('close', resolve));
    createInterface({input: this.socket}).on('line', line => {
      const {cmd, next_team: next} = JSON.parse(line);
      if (cmd === 'dc') this.say({cmd: 'dc_ok', name: 'visitor'});
      if (cmd === 'is_ready') this.say({cmd: 'ready_ok', player_order: [0, 1, 2, 3]});
      if (cmd !== 'update' || next !== team) return;
      this.#isTurn = true;
      this.#turns.splice(0).forEach(resolve => resolve());
    });
  }

  say = message => this.socket.write(`${JSON.stringify(message)}\n`);

  async move(move) {
    if (!this.#isTurn) await new Promise(resolve => this.#turns.push(resolve));
    this.#isTurn = false;
    this.say({cmd: 'move', move});
  }

  shoot = () => this.move({type: 'shot', velocity: {x: 0.13, y: 2.4}, rotation: 'ccw'});
}

/** Lets the page read only the first shot of a game, as while its host begins anew, three times. */
async function readLess(page) {
  const path = '**/v1/jobs/*/game';
  let polls = 0;
  await page.route(path, async route => {
    const lines = (await (await route.fetch()).text()).split('\n', 2);
    await route.fulfill({contentType: 'application/x-ndjson', body: `${lines.join('\n')}\n`});
    polls++;
  });
  await until(async () => polls >= 3, 'polls of the page');
  await page.unroute(path);
}

test('a game with a client is followed shot by shot', async () => {
  const spec = {engine: 'fast', ends: 1, team1: 'ai-simple', wait: 600, time: 2000};
  const {id} = await daemon.post('/v1/jobs', {kind: 'host', spec});
  const {team0} = await until(
    async () => (await daemon.get(`/v1/jobs/${id}`)).result?.ports,
    'the port of the host',
  );
  const client = new Client(team0, 'team0');
  const page = await open(`#/job/${id}`, {reducedMotion: 'reduce'});
  await page.getByRole('link', {name: 'Watch the games'}).click();
  await page.getByText('The first game appears here by itself.').waitFor();
  await client.shoot();
  await page.getByText('End 1, shot 2:').waitFor();
  await page.getByText('Shots appear as they are thrown.').waitFor();
  await page.locator('.scoreboard').getByText('dc3:visitor').waitFor();
  assert.equal(await page.locator('dt', {hasText: 'called'}).count(), 0);
  assert.equal(await page.locator('dt', {hasText: 'thrown'}).count(), 1);
  await client.shoot();
  await page.getByText('End 1, shot 4:').waitFor(); // it goes on by itself
  await page.getByRole('button', {name: 'Back'}).click();
  await page.getByText('End 1, shot 3:').waitFor();
  await client.shoot();
  await page.locator('input[type=range][max="5"]').waitFor();
  await page.getByText('End 1, shot 3:').waitFor(); // who looks back is left alone
  await readLess(page);
  await page.locator('input[type=range][max="5"]').waitFor();
  await page.getByText('End 1, shot 3:').waitFor();
  await client.move({type: 'concede'});
  await page.locator('input[type=range][max="6"]').waitFor();
  await page.getByText('This is the newest game.').waitFor();
  await page.getByRole('slider', {name: 'shot of the game'}).fill('6');
  await page.getByText('the game ends here').waitFor();
  client.socket.end();
  await client.closed;
  await close(page);
});

/** Drops files on a part of the page, as a browser does. */
async function drop(page, part, files) {
  const dataTransfer = await page.evaluateHandle(list => {
    const transfer = new window.DataTransfer();
    list.forEach(({name, text}) => transfer.items.add(new window.File([text], name)));
    return transfer;
  }, files);
  await part.dispatchEvent('dragover', {dataTransfer});
  await part.dispatchEvent('drop', {dataTransfer});
}

test('files that are dropped on the page of games become games, once each', async () => {
  const record = game => fetch(`${daemon.url}/v1/games/${game}`).then(answer => answer.text());
  const first = await record(`${match.id}-0-0`);
  const files = [
    {name: 'first.jsonl', text: `nothing\n${first}`},
    {name: 'second.jsonl', text: await record(`${match.id}-0-1`)},
    {name: 'empty.txt', text: 'no game\n'},
  ];
  const page = await open('#/games', {reducedMotion: 'reduce'});
  const card = page.locator('section.card', {hasText: 'Games from elsewhere'});
  await drop(page, card, files);
  await card.getByText('line 1 (').waitFor();
  await card.locator('li', {hasText: 'empty.txt'}).getByText('no line of the file').waitFor();
  const jobs = await card.getByRole('link', {name: /^job /}).allTextContents();
  assert.equal(jobs.length, 2);
  await until(async () => {
    const states = jobs.map(async text => (await daemon.get(`/v1/jobs/${text.slice(4)}`)).state);
    return (await Promise.all(states)).every(state => state === 'done');
  }, 'the end of both imports');
  await drop(page, card, files.slice(0, 1));
  await card.locator('li').nth(3).getByRole('link', {name: jobs[0], exact: true}).waitFor();
  await card
    .locator('li')
    .nth(3)
    .getByRole('link', {name: /^\d+-0-0$/})
    .click();
  await page.getByText('End 1, shot 1:').waitFor();
  const id = page.url().split('/').pop();
  const shots = text => text.slice(text.indexOf('\n'));
  assert.equal(shots(await record(id)), shots(first));
  await close(page);
});

test('the games of a cancelled match can be opened', async () => {
  const players = {a: 'ai-simple', b: 'random', profile: 'dc2', seed: 77};
  const {id} = await daemon.post('/v1/jobs', {kind: 'match', spec: {...players, pairs: 1000000}});
  await until(async () => (await daemon.get(`/v1/jobs/${id}`)).result?.pairs > 0, 'some pairs');
  await daemon.post(`/v1/jobs/${id}/cancel`, {});
  const page = await open(`#/job/${id}`, {reducedMotion: 'reduce'});
  await page.locator('.state.cancelled').waitFor();
  await page.getByRole('link', {name: 'Games'}).last().click();
  await page.locator('main a[href^="#/games/"]').first().click();
  await page.getByText('Throws first').waitFor();
  await close(page);
});
