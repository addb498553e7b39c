// The board page: set up a position, ask a player, throw stones.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, open, pictures, until} from './fixture.mjs';

test('a stone can be added, dragged and moved with the keys, and a player asked', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByRole('button', {name: 'Add red'}).click();
  const stone = page.getByRole('button', {name: /^red stone 1/});
  const box = await stone.boundingBox(),
    ice = await page.locator('.sheet').boundingBox();
  const tee = await page.locator('.sheet .red').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(ice.x + ice.width / 2, ice.y + 100);
  await page.mouse.move(tee.x + tee.width / 2, tee.y + tee.height / 2);
  await page.mouse.up();
  await page.getByText('Red lies 1.').waitFor();
  assert.match(
    await stone.getAttribute('aria-label'),
    /-?0\.0\d m right, -?0\.0\d m behind the tee/,
  );
  const before = await stone.getAttribute('aria-label');
  await stone.focus();
  await page.keyboard.press('Shift+ArrowRight');
  assert.notEqual(await stone.getAttribute('aria-label'), before);
  await page.getByLabel('Seconds to think').fill('0.2');
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  assert.ok((await page.locator('.sheet .path').count()) > 0);
  assert.ok((await page.locator('.distribution rect').count()) > 0);
  await page.getByRole('button', {name: 'Throw', exact: true}).click();
  await page.getByText('Shot 3:').waitFor();
  await stone.focus();
  await page.keyboard.press('Delete');
  await page.waitForFunction(() => !document.querySelector('[data-stone="team0/0"]'));
  await close(page);
});

/** Sends the touches of one finger: 'touchStart', 'touchMove', 'touchEnd' or 'touchCancel'. */
async function fingerOf(page) {
  const session = await page.context().newCDPSession(page);
  return (type, at) =>
    session.send('Input.dispatchTouchEvent', {type, touchPoints: at ? [at] : []});
}

const middleOf = ({x, y, width, height}) => ({x: x + width / 2, y: y + height / 2});

test('a finger moves a stone up the sheet, and a broken touch leaves it where it was', async () => {
  const phone = {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true};
  const page = await open('#/board', {...phone, reducedMotion: 'reduce'});
  await page.getByRole('button', {name: 'Add red'}).click();
  const stone = page.getByRole('button', {name: /^red stone 1/});
  await stone.scrollIntoViewIfNeeded();
  const touch = await fingerOf(page);
  const scrolled = () => page.evaluate(() => window.scrollY);
  const before = await stone.getAttribute('aria-label');
  const top = await scrolled();
  const from = middleOf(await stone.boundingBox());
  const drag = async () => {
    await touch('touchStart', from);
    for (let up = 5; up <= 60; up += 5) await touch('touchMove', {x: from.x, y: from.y - up});
  };
  await drag();
  await touch('touchCancel');
  await until(async () => middleOf(await stone.boundingBox()).y === from.y, 'the old place');
  assert.equal(await stone.getAttribute('aria-label'), before);
  await drag();
  await touch('touchEnd');
  await until(async () => (await stone.getAttribute('aria-label')) !== before, 'a new place');
  const to = middleOf(await stone.boundingBox());
  assert.ok(Math.abs(from.y - 60 - to.y) < 2 && Math.abs(from.x - to.x) < 2, `${to.x}, ${to.y}`);
  assert.equal(await scrolled(), top);
  await close(page);
});

test('a position can be pasted; an unreadable one shows an error', async () => {
  const page = await open('#/board');
  await page.getByText('Paste a state of Digital Curling').click();
  const area = page.getByLabel('update.state of Digital Curling');
  await area.fill('{"stones":');
  await page.getByRole('button', {name: 'Take it'}).click();
  await page.getByText('This cannot be read').waitFor();
  const nothing = Array(7).fill(null);
  await area.fill(
    JSON.stringify({
      end: 1,
      shot: 3,
      hammer: 'team1',
      scores: {team0: [2], team1: [0]},
      stones: {
        team0: [{position: {x: 0.5, y: 38.4}, angle: 0}, ...nothing],
        team1: [{position: {x: -0.1, y: 38.2}, angle: 0}, ...nothing],
      },
    }),
  );
  await page.getByRole('button', {name: 'Take it'}).click();
  await page.getByText('Shot 4: yellow throws. Yellow lies 1.').waitFor();
  await close(page);
});

test('takes the picture of the README', {skip: !pictures}, async () => {
  const page = await open('#/board', {
    viewport: {width: 1200, height: 900},
    reducedMotion: 'reduce',
  });
  await page.getByText('Paste a state of Digital Curling').click();
  const stones = (...places) =>
    Array.from({length: 8}, (_, k) =>
      places[k] ? {position: {x: places[k][0], y: places[k][1]}, angle: 0} : null,
    );
  await page.getByLabel('update.state of Digital Curling').fill(
    JSON.stringify({
      end: 6,
      shot: 11,
      hammer: 'team1',
      scores: {team0: [0, 2, 0, 1, 0, 1], team1: [1, 0, 1, 0, 2, 0]},
      stones: {
        team0: stones([0.25, 35.4], [-0.35, 38.1], [0.9, 38.9]),
        team1: stones([-0.9, 36.1], [0.5, 39.1]),
      },
    }),
  );
  await page.getByRole('button', {name: 'Take it'}).click();
  await page.getByText('Shot 12:').waitFor();
  await page.getByText('Paste a state of Digital Curling').click();
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({path: `${pictures}/readme.png`});
  await close(page);
});

/** The example of the README: the last stone of the second and last end. */
const README_QUERY = {
  profile: 'dc3',
  state: {
    end: 1,
    shot: 15,
    hammer: 'team1',
    scores: {team0: [0], team1: [0]},
    stones: {team0: [{position: {x: 0.1, y: 38.2}}], team1: []},
  },
  setting: {max_end: 2},
};

async function paste(page, document) {
  await page.getByText('Paste a state of Digital Curling').click();
  await page.getByLabel('update.state of Digital Curling').fill(JSON.stringify(document));
  await page.getByRole('button', {name: 'Take it'}).click();
}

const askNow = page => page.getByRole('button', {name: 'Ask for the best shot'}).click();

test('the board asks about a game of the length that it shows', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await paste(page, README_QUERY);
  await page.getByText('Shot 16: yellow throws').waitFor();
  assert.equal(await page.getByLabel('Ends of the game').inputValue(), '2');
  await page.getByLabel('Seconds to think').fill('0.3');
  const asked = page.waitForRequest(
    request => request.method() === 'POST' && /v1.shots$/.test(request.url()),
  );
  await askNow(page);
  assert.deepEqual((await asked).postDataJSON().setting, {max_end: 2});
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  const wins = await page.locator('.tile b').first().textContent();
  assert.ok(parseFloat(wins) > 99, `yellow wins ${wins}`);
  await page.getByLabel('Ends of the game').fill('10');
  await page.keyboard.press('Tab');
  await page.waitForURL(/ends=10/);
  await askNow(page);
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await close(page);
});

test('the address is the position: it survives a reload and can be opened elsewhere', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await paste(page, README_QUERY);
  await page.getByText('Shot 16: yellow throws').waitFor();
  await page.getByLabel('Player').fill('ai-simple');
  await page.waitForURL(/player=ai-simple/);
  await page.reload();
  await page.getByText('Shot 16: yellow throws. Red lies 1.').waitFor();
  assert.equal(await page.getByLabel('Player').inputValue(), 'ai-simple');
  const other = await open(new URL(page.url()).hash);
  await other.getByText('Shot 16: yellow throws. Red lies 1.').waitFor();
  await other.goto(other.url().replace('shot=15', 'shot=many'));
  await other.getByText('names no position').waitFor();
  await close(other);
  await close(page);
});

test('status and errors stand above the fold, and the whole sheet fits', async () => {
  const page = await open('#/board', {viewport: {width: 1440, height: 900}});
  await page.getByText('Nobody counts').waitFor();
  await page.getByLabel('Player').fill('nobody-of-that-name');
  await askNow(page);
  const box = async locator => {
    const {y, height} = await locator.boundingBox();
    return y + height;
  };
  await page.getByRole('alert').or(page.locator('.ice .field-error')).first().waitFor();
  for (const place of ['.ice .field-error', '.ice .say', '.sheet'])
    assert.ok((await box(page.locator(place).first())) <= 900, `${place} is below the fold`);
  await close(page);
});

test('best shots are of different kinds, each with its difference to the best', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByText('Nobody counts').waitFor();
  await page.getByLabel('Seconds to think').fill('0.5');
  await askNow(page);
  await page.getByRole('columnheader', {name: 'To the best'}).waitFor();
  const rows = page.getByRole('row').filter({has: page.getByRole('button', {name: /^shot \d/})});
  const labels = await rows
    .getByRole('button')
    .evaluateAll(list => list.map(button => button.ariaLabel.replace(/^shot \d+, /, '')));
  assert.ok(labels.length > 2);
  assert.equal(new Set(labels).size, labels.length, labels.join());
  assert.match(await rows.nth(1).textContent(), /([−+]\d+\.\d|0\.0) ± \d+\.\d %/);
  await close(page);
});

test('a player shows what it thinks so far and can be stopped', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByText('Nobody counts').waitFor();
  await page.getByLabel('Seconds to think').fill('500');
  await page.getByLabel('Seconds to think').press('Enter');
  await page.getByText(/^So far: .* wins /).waitFor();
  assert.ok((await page.locator('.sheet .path').count()) > 0);
  await page.getByRole('button', {name: 'Stop thinking'}).click();
  await page.getByRole('button', {name: 'Ask for the best shot'}).waitFor();
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  await close(page);
});

test('a new position ends the thinking about the old one', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByText('Nobody counts').waitFor();
  await page.getByLabel('Seconds to think').fill('500');
  await askNow(page);
  await page.getByText(/^So far: /).waitFor();
  await page.getByRole('button', {name: 'Add red'}).click();
  await page.getByText('The position was changed meanwhile').waitFor();
  await close(page);
});

test('on a phone the sheet scrolls the page, and the answer is in sight', async () => {
  const viewport = {width: 390, height: 844};
  const page = await open('#/board', {viewport, hasTouch: true, reducedMotion: 'reduce'});
  await page.getByText('Nobody counts').waitFor();
  const touch = await page.locator('.sheet').evaluate(sheet => getComputedStyle(sheet).touchAction);
  assert.equal(touch, 'pan-y');
  await page.getByLabel('Seconds to think').fill('0.2');
  await askNow(page);
  await page.getByRole('heading', {name: 'Best shots'}).waitFor();
  const words = await page.locator('.ice .say').boundingBox();
  assert.ok(words.y >= 0 && words.y + words.height < viewport.height, `at ${words.y}`);
  assert.match(await page.locator('.ice .say').textContent(), /wins/);
  const answer = await page.getByText('What the player says').boundingBox();
  assert.ok(answer.y < 1.2 * viewport.height, `the answer is ${answer.y} pixels down`);
  await close(page);
});

test('an aimed shot stops at its target', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByLabel('with the error of the hand').uncheck();
  await page.getByLabel('Metres right of the middle').fill('0.6');
  await page.getByLabel('Metres behind the tee').fill('-0.4');
  await page.getByRole('button', {name: 'Throw', exact: true}).focus();
  await page.locator('.sheet .path').waitFor();
  await page.getByRole('button', {name: 'Throw', exact: true}).click();
  const stone = page.locator('[data-stone="team0/0"]');
  await stone.waitFor();
  const [, x, y] = (await stone.getAttribute('aria-label'))
    .match(/, (-?[\d.]+) m right, (-?[\d.]+) m behind/)
    .map(Number);
  assert.ok(Math.hypot(x - 0.6, y + 0.4) < 0.02, `it lies at ${x}, ${y}`);
  await close(page);
});

test('a shot without spin has no turn', async () => {
  const page = await open('#/board?player=ai-simple', {reducedMotion: 'reduce'});
  await page.route('**/v1/shots/*/events', async route => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({response, body: text.replaceAll(/"rotation":"c?cw"/g, '"rotation":null')});
  });
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  assert.doesNotMatch(await page.getByText('Velocity').textContent(), /clockwise/);
  await close(page);
});

/** Notes the player that each painted frame shows, as window.players, from the next page on. */
const watchPlayers = page =>
  page.evaluate(() => {
    const find = () => document.querySelector('input[list=players]');
    const left = find();
    window.players = [];
    const look = () => {
      const input = find();
      if (input && input !== left) window.players.push(input.value);
      requestAnimationFrame(look);
    };
    look();
  });

test('the board never shows the player of an earlier visit', async () => {
  const page = await open('#/board?player=ai-simple');
  await page.getByLabel('Player').waitFor();
  await watchPlayers(page);
  await page.evaluate(() => {
    window.location.hash = '#/board?player=random';
  });
  await page.waitForFunction(() => window.players.length > 9);
  assert.deepEqual(await page.evaluate(() => window.players.filter(name => name !== 'random')), []);
  await close(page);
});

test('a user can play an end against the machine', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByLabel('Seconds to think').fill('0.05');
  await page.getByRole('button', {name: 'New end'}).click();
  for (let shot = 2; shot <= 16; shot += 2) {
    await page.getByText(`Shot ${shot}: yellow throws`).waitFor();
    await page.getByText('Your shot').waitFor();
    await page.getByRole('button', {name: 'Throw', exact: true}).click();
  }
  await page.getByText(/^The end is over: /).waitFor();
  assert.equal(await page.getByLabel('End', {exact: true}).inputValue(), '2');
  await close(page);
});

test('a map shows what each place is worth; a click on it compares calls', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await paste(page, README_QUERY);
  await page.getByText('Shot 16: yellow throws').waitFor();
  await page.getByRole('button', {name: 'Draw the map'}).click();
  await page.locator('.sheet image.heat').waitFor();
  await page.getByRole('heading', {name: 'Best shots of the map'}).waitFor();
  assert.match(await page.locator('.legend').textContent(), /wins.*%.*%/);
  const picture = () => page.locator('.sheet image.heat').getAttribute('href');
  const all = await picture();
  await page.getByLabel('Weight').first().selectOption('draw');
  assert.notEqual(await picture(), all);
  const names = await page
    .locator('tbody tr', {has: page.getByLabel(/of the map/)})
    .allInnerTexts();
  const shots = names.map(text => text.match(/[a-z][a-z -]+[↻↺]/)[0]);
  assert.equal(new Set(shots).size, shots.length, `${shots}: neighbours of the best help nobody`);
  await page.getByRole('button', {name: /compare shot 1 of the map/}).click();
  await page.getByRole('button', {name: /show call 1/}).waitFor();
  const ice = await page.locator('.sheet').boundingBox();
  await page.mouse.click(ice.x + ice.width / 2, ice.y + 0.75 * ice.height);
  await page.getByRole('button', {name: /show call 2/}).waitFor();
  const second = page.getByRole('row').filter({has: page.getByLabel('remove call 2')});
  assert.match(await second.textContent(), /−\d+\.\d ± \d+\.\d %/); // worse than the first
  assert.ok((await page.locator('.sheet .sample').count()) > 100);
  assert.equal(await page.locator('.error-curve').count(), 2);
  await page.setViewportSize({width: 390, height: 844});
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.getByLabel('remove call 1').click();
  await page.getByRole('button', {name: /show call 2/}).waitFor({state: 'detached'});
  await page.getByRole('button', {name: 'Take it off'}).click();
  assert.equal(await page.locator('.sheet image.heat').count(), 0);
  await close(page);
});

test('a change of the position can be undone, and an aim is marked with its place', async () => {
  const page = await open('#/board', {reducedMotion: 'reduce'});
  await page.getByRole('button', {name: 'Add red'}).click();
  await page.getByRole('button', {name: 'Clear'}).click();
  await page.getByText('Nobody counts.').waitFor();
  assert.equal(await page.locator('[data-stone]').count(), 0);
  await page.getByRole('button', {name: 'Undo'}).click();
  assert.equal(await page.locator('[data-stone="team0/0"]').count(), 1);
  await page.getByRole('button', {name: 'Show the aim'}).click();
  await page.locator('.sheet .aim').waitFor();
  await page.getByText('Aimed at 0.00 m right of the middle, 0.00 m behind the tee.').waitFor();
  await close(page);
});
