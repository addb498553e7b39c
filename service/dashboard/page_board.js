// A position on the sheet: set it up, ask a player, throw, or play an end against the machine.
import {get, post} from './api.js';
import {card, empty, errorBox, h, number, percent, s, table} from './dom.js';
import {afterThrow, aim, boardFrom, emptyBoard, HALF_WIDTH, other, PROFILES, sideToMove, speedUnit, stateOf, TEAM_NAMES, TEAMS, TEE_Y, throwShot} from './curling.js';
import {Sheet} from './sheet.js';

const GAME_ENDS = 8; // where nobody says how many; behind them come extra ends, whose scores a state does not list
const SHOTS = 16, CLOUD = 200, PARK = {team0: -2.1, team1: 2.1};
let kept = null; // the board stays while the page is open, wherever the user goes

export async function show(root, page) {
  let board = kept ?? emptyBoard(), answer = null, chosen = 0, shot = null, target = {x: 0, y: TEE_Y}, busy = false, game = null, judging = 0;
  let changes = 0; // of the position, by whomever
  let aims = 0, aiming = Promise.resolve(); // the last one counts
  const sheet = new Sheet({onmove: moveStone, onpoint: at => { if (aimAt.checked) { target = at; writeTarget(); takeAim(); } }});
  const say = h('p', {role: 'status'}), trouble = h('div', {}), scoreLine = h('p', {});
  const answerCard = card('What the player says', empty('Nobody was asked yet.'));
  const field = (label, input, help) => h('label', {}, label, input, help && h('p', {class: 'help'}, help));

  // ---- the position ----
  // A link from elsewhere names who is to be asked, and on which ice it plays.
  if (PROFILES.includes(page.query.get('profile')) && page.query.get('profile') !== board.profile)
    board = emptyBoard(page.query.get('profile'));
  const profile = select(PROFILES, board.profile, () => { board.profile = profile.value; edited(); });
  const hammer = select(TEAMS, board.hammer, () => { board.hammer = hammer.value; edited(); }, TEAM_NAMES);
  const end = numberInput(1, 256, () => { board.end = end.valueAsNumber - 1; fillScores(); edited(); });
  const shotInput = numberInput(1, 16, () => { board.shot = shotInput.valueAsNumber - 1; edited(); });
  const scores = Object.fromEntries(TEAMS.map(team => [team, h('input', {inputmode: 'numeric', placeholder: '2, 0, 1', onchange: () => {
    board.scores[team] = scores[team].value.split(/[ ,]+/).filter(Boolean).map(Number);
    fillScores();
    edited();
  }})]));
  const paste = h('textarea', {'aria-label': 'update.state of Digital Curling', placeholder: '{"end":3,"shot":9,"hammer":"team1","scores":…,"stones":…}', spellcheck: 'false'});
  const adders = TEAMS.map(team => h('button', {onclick: () => addStone(team)}, h('span', {class: `key ${team}`}), `Add ${TEAM_NAMES[team]}`));
  const setUp = card('Position', h('div', {class: 'fields'}, field('Profile', profile), field('End', end), field('Next shot (1 to 16)', shotInput), field('Hammer', hammer),
    field('Score of red, end by end', scores.team0), field('Score of yellow', scores.team1)),
  h('div', {class: 'buttons'}, adders, h('button', {onclick: () => { board = {...emptyBoard(board.profile), hammer: board.hammer}; edited(); }}, 'Clear')),
  h('details', {}, h('summary', {}, 'Paste a state of Digital Curling'), paste,
    h('div', {class: 'buttons'}, h('button', {onclick: takePaste}, 'Take it'), h('button', {onclick: () => { paste.value = JSON.stringify(stateOf(board), (key, value) => typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value); paste.select(); }}, 'Write this position here'))));

  // ---- asking ----
  const players = h('datalist', {id: 'board-players'});
  const player = h('input', {list: 'board-players', placeholder: 'default player', spellcheck: 'false'});
  player.value = page.query.get('player') ?? '';
  const time = numberInput(1, 600, () => {});
  time.value = 1;
  time.step = 'any';
  time.min = 0.05;
  const askButton = h('button', {class: 'primary', onclick: () => work(ask)}, 'Ask for the best shot');
  const askCard = card('Ask a player', h('div', {class: 'fields'}, field('Player', player, 'a name, or NAME:SETTING=VALUE,…'), field('Seconds to think', time)), h('div', {class: 'buttons'}, askButton));
  get('/v1/players', {signal: page.signal}).then(({items}) => players.append(...items.map(item => h('option', {value: item.name}, item.about))), () => {});

  // ---- throwing ----
  const rotation = select(['cw', 'ccw'], 'ccw', () => takeAim(), {cw: 'clockwise', ccw: 'counter-clockwise'});
  const weight = select(['0', '0.08', '0.2'], '0', () => takeAim(), {0: 'draw: stops there', 0.08: 'hit, light', 0.2: 'hit, hard'});
  const aimAt = h('input', {type: 'checkbox', checked: true});
  const targetX = numberInput(-3, 3, readTarget), targetY = numberInput(-8, 3, readTarget);
  for (const input of [targetX, targetY])
    input.step = 'any';
  const noisy = h('input', {type: 'checkbox', checked: true});
  const thrower = card('Throw', h('p', {class: 'dim small'}, 'Take one of the player’s shots, or aim: click on the ice, or write where the stone shall go.'),
    h('div', {class: 'fields'}, field('Metres right of the middle', targetX), field('Metres behind the tee', targetY), field('Weight', weight), field('Turn', rotation)),
    h('p', {}, h('label', {}, aimAt, ' clicks on the ice aim')), h('p', {}, h('label', {}, noisy, ' with the error of the hand')),
    h('div', {class: 'buttons'}, h('button', {class: 'primary', onclick: () => work(throwNow)}, 'Throw'), h('button', {onclick: () => work(cloud)}, `Where ${CLOUD} such throws end`),
      h('button', {onclick: () => takeAim()}, 'Show the aim')));

  // ---- a game ----
  const mine = select(TEAMS, 'team1', () => {}, {team0: 'you are red', team1: 'you are yellow'});
  mine.setAttribute('aria-label', 'your side');
  const gameLine = h('p', {role: 'status'});
  const play = card('Play an end against the machine', h('div', {class: 'buttons'}, mine, h('button', {onclick: () => work(startGame)}, 'New end'), h('button', {onclick: () => { game = null; gameLine.textContent = 'No game.'; }}, 'Stop')), gameLine);

  root.append(h('h1', {}, 'Board'), h('div', {class: 'board'},
    h('div', {class: 'ice'}, sheet.svg, scoreLine, say, trouble),
    h('div', {class: 'columns'}, h('div', {}, askCard.element, answerCard.element), h('div', {}, thrower.element, play.element, setUp.element))));
  page.signal.addEventListener('abort', () => { kept = board; sheet.stop?.(); });
  writeTarget();
  edited();

  // ---- setting up ----

  function fillScores() {
    const ends = Math.min(board.end, GAME_ENDS);
    for (const team of TEAMS) {
      const list = board.scores[team].filter(Number.isFinite).slice(0, ends);
      board.scores[team] = [...list, ...Array(ends - list.length).fill(0)];
    }
  }
  function write() {
    profile.value = board.profile;
    hammer.value = board.hammer;
    end.value = board.end + 1;
    shotInput.value = Math.min(board.shot, SHOTS - 1) + 1;
    for (const team of TEAMS)
      scores[team].value = board.scores[team].map(score => score ?? 0).join(', ');
  }
  /** The position is another one: what was said about the old one goes. */
  function edited() {
    changes++;
    aims++;
    answer = null;
    shot = null;
    answerCard.set(empty('Nobody was asked about this position yet.'));
    sheet.clearMarks();
    drawn();
  }
  function drawn() {
    kept = board;
    write();
    sheet.setStones(board.stones);
    judge();
  }
  function moveStone(team, slot, at) {
    board.stones[team][slot] = at;
    edited();
  }
  function addStone(team) {
    const slot = board.stones[team].indexOf(null);
    if (slot < 0)
      return;
    // Where nothing lies: beside the house.
    let at = {x: PARK[team], y: TEE_Y};
    while (Object.values(board.stones).flat().some(stone => stone && Math.hypot(stone.x - at.x, stone.y - at.y) < 0.32))
      at = {...at, y: at.y - 0.35};
    board.stones[team][slot] = at;
    const itsShot = 2 * slot + (team === board.hammer ? 1 : 0);
    board.shot = Math.min(Math.max(board.shot, itsShot + 1), SHOTS - 1);
    edited();
    sheet.nodes.get(`${team}/${slot}`)?.focus();
  }
  function takePaste() {
    try {
      board = boardFrom(JSON.parse(paste.value), board.profile);
      trouble.replaceChildren();
      edited();
    } catch (error) {
      trouble.replaceChildren(errorBox({title: 'This cannot be read', detail: error.message}));
    }
  }

  async function judge() {
    const turn = ++judging, now = board;
    const stones = stateOf(now).stones;
    try {
      const [score, verdict] = await Promise.all([
        post('/v1/positions/score', {profile: now.profile, stones, hammer: now.hammer}, {signal: page.signal}),
        now.shot < SHOTS ? post('/v1/positions/validate', {profile: now.profile, state: stateOf(now)}, {signal: page.signal}) : {valid: true, errors: []}]);
      if (turn !== judging)
        return;
      const side = sideToMove(now);
      scoreLine.replaceChildren(now.shot < SHOTS ? h('span', {class: `key ${side}`}) : '', now.shot < SHOTS ? `Shot ${now.shot + 1}: ${TEAM_NAMES[side]} throws. ` : 'The end is over. ',
        score.team0 ? `Red lies ${score.team0}.` : score.team1 ? `Yellow lies ${score.team1}.` : 'Nobody counts.');
      sheet.setStones(now.stones, score.counting.map(stone => `team${stone.team}/${stone.slot}`));
      trouble.replaceChildren(...verdict.errors.map(error => h('p', {class: 'field-error'}, `${error.pointer || 'position'}: ${error.message}`)));
      askButton.disabled = !verdict.valid || now.shot >= SHOTS;
    } catch (error) {
      if (turn === judging && error.name !== 'AbortError')
        trouble.replaceChildren(errorBox(error));
    }
  }

  // ---- asking and throwing ----

  /** One thing at a time; errors are shown under the sheet. */
  async function work(f) {
    if (busy)
      return;
    busy = true;
    root.setAttribute('aria-busy', 'true');
    trouble.replaceChildren();
    try {
      await f();
    } catch (error) {
      if (error.name !== 'AbortError')
        trouble.replaceChildren(errorBox(error), ...(error.errors ?? []).map(one => h('p', {class: 'field-error'}, `${one.pointer}: ${one.message}`)));
    }
    busy = false;
    root.removeAttribute('aria-busy');
  }

  async function ask() {
    const seconds = time.valueAsNumber;
    say.textContent = `${player.value || 'The default player'} thinks for ${seconds} s …`;
    answer = null;
    const asked = changes;
    let said;
    try {
      said = await post('/v1/shots', {profile: board.profile, state: stateOf(board), limits: {time_ms: Math.round(1000 * seconds)}, top_k: 8,
        ...(player.value.trim() ? {player: player.value.trim()} : {})}, {signal: page.signal});
    } finally {
      say.textContent = '';
    }
    if (asked !== changes) {
      say.textContent = 'The position was changed meanwhile; ask again.';
      return false;
    }
    answer = said;
    choose(0, true);
    return true;
  }

  function choose(k, animate) {
    aims++;
    chosen = k;
    const candidate = answer.candidates[k];
    shot = candidate?.shot ?? answer.shot;
    drawAnswer();
    sheet.clearMarks();
    answer.candidates.forEach((one, at) => at !== k && sheet.addPath(points(one), 'other'));
    if (candidate) {
      sheet.addPath(points(candidate));
      if (animate)
        sheet.animate([{team: sideToMove(board), slot: Math.floor(board.shot / 2), points: points(candidate)}], page.signal);
    }
  }
  const points = candidate => candidate.path.map(([x, y]) => ({x, y}));

  function drawAnswer() {
    const value = answer.value;
    const rows = answer.candidates.map((one, k) => [
      h('button', {'aria-pressed': k === chosen ? 'true' : 'false', 'aria-label': `shot ${k + 1}, ${one.kind}`, onclick: () => choose(k, true)}, `${k + 1}`), one.shot?.rotation ? `${one.kind}, ${one.shot.rotation === 'cw' ? 'clockwise' : 'counter-clockwise'}` : one.kind,
      percent(one.win_probability), number(one.expected_score, 2), percent(one.success, 0), number(one.visits)]);
    answerCard.set(value ? [h('div', {class: 'tiles'}, tile(percent(value.win_probability), `${TEAM_NAMES[answer.side]} wins`), tile(number(value.expected_score, 2), `points expected for ${TEAM_NAMES[answer.side]}`)),
      h('h3', {}, `Points of the end for ${TEAM_NAMES[answer.side]}`), distribution(value.score_distribution)] : h('p', {class: 'dim'}, 'This player does not say what it expects.'),
    answer.concede ? h('p', {class: 'note'}, 'It would concede.') : null,
    rows.length ? [h('h3', {}, 'Best shots'), table(['', 'Shot', '#Wins', '#Points', '#Works', '#Visits'], rows)] : null,
    h('p', {class: 'dim small'}, `${number(answer.simulations)} simulations in ${number(Math.round(answer.elapsed_ms))} ms by ${answer.player.name ?? 'the player'}. `,
      `Velocity ${shot.velocity.x.toFixed(4)}, ${shot.velocity.y.toFixed(4)} ${speedUnit(board.profile)}, ${shot.rotation === 'cw' ? 'clockwise' : 'counter-clockwise'}.`));
  }

  function readTarget() {
    target = {x: targetX.valueAsNumber || 0, y: TEE_Y + (targetY.valueAsNumber || 0)};
    takeAim();
  }
  function writeTarget() {
    targetX.value = target.x.toFixed(2);
    targetY.value = (target.y - TEE_Y).toFixed(2);
  }
  /** Looks for the shot to the target; what was looked for before no longer counts. */
  function takeAim() {
    aiming = findAim(++aims);
    return aiming;
  }
  async function findAim(own) {
    if (board.shot >= SHOTS)
      return;
    shot = null;
    say.textContent = 'aiming …';
    try {
      const found = await aim(board, target, rotation.value, Number(weight.value), page.signal);
      const thrown = await throwShot(board, found, {}, page.signal);
      if (own !== aims)
        return;
      shot = found;
      sheet.clearMarks();
      thrown.paths.forEach((path, k) => sheet.addPath(path.points, k ? 'other' : ''));
      say.textContent = thrown.foul ? 'This would offend the free guard zone.' : '';
    } catch (error) {
      if (own === aims && error.name !== 'AbortError')
        trouble.replaceChildren(errorBox(error));
      say.textContent = '';
    }
  }
  /** The shot to throw: the one that is shown, or that of the target. */
  async function chosenShot() {
    await aiming;
    if (!shot)
      await takeAim();
    return shot;
  }

  async function cloud() {
    if (!await chosenShot())
      return;
    const thrown = await throwShot(board, shot, {samples: CLOUD, seed: 1}, page.signal);
    const side = sideToMove(board), slot = Math.floor(board.shot / 2);
    const ends = thrown.samples.map(sample => sample.stones[side][slot]).filter(Boolean);
    sheet.addSamples(ends);
    say.textContent = `${ends.length} of ${CLOUD} stay in play.`;
  }

  async function throwNow() {
    if (board.shot >= SHOTS) {
      say.textContent = 'The end is over.';
      return;
    }
    if (!await chosenShot())
      return;
    await deliver(shot, noisy.checked);
    await machineMoves();
  }

  async function deliver(what, withNoise) {
    let thrown;
    const before = changes, seed = Math.floor(Math.random() * 2 ** 31), interval = board.profile === 'dc2' ? 0.02 : 0.25;
    if (withNoise)
      thrown = (await throwShot(board, what, {samples: 1, seed, trajectory: interval}, page.signal)).samples[0];
    else
      thrown = await throwShot(board, what, {}, page.signal);
    if (before !== changes) {
      say.textContent = 'The position was changed meanwhile; throw again.';
      return;
    }
    sheet.clearMarks();
    await sheet.animate(thrown.paths, page.signal);
    const foul = thrown.foul;
    changes++;
    aims++;
    board = afterThrow(board, thrown);
    answer = null;
    shot = null;
    answerCard.set(empty('The position has changed.'));
    drawn();
    thrown.paths.slice(0, 1).forEach(path => sheet.addPath(path.points, 'other'));
    say.textContent = foul ? 'That offended the free guard zone: the stone comes off, the others go back.' : '';
    await endIfOver();
  }

  // ---- a game against the machine ----

  async function startGame() {
    game = {mine: mine.value};
    board = {...emptyBoard(board.profile), end: board.end, hammer: board.hammer, scores: board.scores};
    edited();
    await machineMoves();
  }

  async function machineMoves() {
    while (game && board.shot < SHOTS && sideToMove(board) !== game.mine && !page.signal.aborted) {
      gameLine.textContent = 'The machine thinks …';
      if (!await ask()) {
        gameLine.textContent = 'The game was stopped, because the position was changed.';
        game = null;
        return;
      }
      await deliver(answer.shot, true);
    }
    if (game && board.shot < SHOTS)
      gameLine.textContent = `Your shot, ${TEAM_NAMES[game.mine]}: aim and throw, or ask what the machine would do.`;
  }

  async function endIfOver() {
    if (!game || board.shot < SHOTS)
      return;
    const score = await post('/v1/positions/score', {profile: board.profile, stones: stateOf(board).stones, hammer: board.hammer}, {signal: page.signal});
    const winner = score.team0 ? 'team0' : score.team1 ? 'team1' : null;
    gameLine.textContent = !winner ? 'The end is over: blanked.'
      : `The end is over: ${winner === game.mine ? 'you score' : 'the machine scores'} ${score[winner]}.`;
    for (const team of TEAMS)
      board.scores[team] = [...board.scores[team], score[team]].slice(0, GAME_ENDS);
    board = {...board, end: board.end + 1, hammer: winner ? other(winner) : board.hammer};
    game = null;
    kept = board;
    write();
  }
}

const tile = (value, label) => h('div', {class: 'tile'}, h('b', {}, value), h('span', {}, label));

function select(values, value, onchange, names = {}) {
  return h('select', {onchange, value: undefined}, values.map(one => h('option', {value: one, selected: one === value}, names[one] ?? one)));
}
const numberInput = (min, max, onchange) => h('input', {type: 'number', min, max, onchange});

/** Bars of the probability of each score, from -8 to 8. */
function distribution(shares) {
  const scores = Object.keys(shares).map(Number), low = Math.min(-3, ...scores.filter(score => shares[score] > 0.002)), high = Math.max(3, ...scores.filter(score => shares[score] > 0.002));
  const width = 36, height = 90, most = Math.max(...Object.values(shares), 0.01), all = [];
  for (let score = low; score <= high; score++) {
    const share = shares[score] ?? 0, x = (score - low) * width, tall = share / most * height;
    all.push(s('rect', {class: score < 0 ? 'minus' : '', x: x + 4, y: 16 + height - tall, width: width - 8, height: tall}),
      s('text', {x: x + width / 2, y: 12 + height - tall}, share >= 0.005 ? `${Math.round(100 * share)} %` : ''), s('text', {x: x + width / 2, y: height + 32}, score > 0 ? `+${score}` : score));
  }
  const words = scores.sort((a, b) => a - b).filter(score => shares[score] >= 0.005).map(score => `${score}: ${Math.round(100 * shares[score])} %`).join(', ');
  return s('svg', {class: 'distribution', viewBox: `0 0 ${(high - low + 1) * width} ${height + 38}`, role: 'img', 'aria-label': `probability of each score: ${words}`}, all);
}
