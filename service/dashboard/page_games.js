// Matches, their games, and each game again shot by shot: what was called, and what was thrown.
import {get, query, text} from './api.js';
import {card, empty, endName, errorBox, gameLength, h, loading, number, percent, playerName, s, table, when} from './dom.js';
import {afterThrow, emptyBoard, other, speedUnit, TEAM_NAMES, TEAMS, throwShot} from './curling.js';
import {Sheet} from './sheet.js';

const FELL = 0.15; // a fall of the win probability that is marked

export function show(root, page) {
  const [match, game] = page.args;
  return game ? showGame(root, page, game) : match ? showMatch(root, page, match) : showMatches(root, page);
}

/** A list with a button for what is older. */
function pagedList(place, page, path, parameters, draw) {
  let items = [], cursor = null;
  const older = h('button', {onclick: next}, 'More'), trouble = h('div', {}), view = h('div', {}, loading());
  place.append(view, trouble, older);
  older.hidden = true;
  async function next() {
    older.disabled = true;
    try {
      const part = await get(`${path}${query({...parameters, cursor, limit: 50})}`, {signal: page.signal});
      items = items.concat(part.items);
      cursor = part.next_cursor;
      older.hidden = !cursor;
      trouble.replaceChildren();
      view.replaceChildren(draw(items));
    } catch (error) {
      if (error.name === 'AbortError')
        return;
      view.replaceChildren();
      trouble.replaceChildren(error.status === 404 ? empty('The records of these games are gone.') : errorBox(error));
    }
    older.disabled = false;
  }
  return next();
}

// ---- matches ----

async function showMatches(root, page) {
  const job = page.query.get('job'), place = h('section', {class: 'card'});
  root.append(h('h1', {}, job ? `Matches of job ${job}` : 'Games'), place);
  await pagedList(place, page, '/v1/matches', {job, fields: 'id,job,profile,ends,extra_ends,a_name,b_name,pairs,result.win_percent,at'}, items => items.length
    ? table(['Match', 'Players', 'Profile', '#Share of the first', '#Games', 'When'], items.map(match => [h('a', {href: `#/games/${match.id}`}, `${match.id}`),
      h('td', {class: 'what'}, `${playerName(match.a_name)} – ${playerName(match.b_name)}`), `${match.profile}, ${gameLength(match)}`,
      typeof match.result?.win_percent === 'number' ? `${match.result.win_percent.toFixed(1)} %` : '–', number(2 * match.pairs), when(match.at)]), 'stack')
    : empty('No games were played yet. Jobs of the kinds “match” and “tournament” play.'));
}

const points = (ends, sign) => ends.reduce((sum, end) => sum + Math.max(sign * end.score, 0), 0);

async function showMatch(root, page, id) {
  const match = await get(`/v1/matches/${encodeURIComponent(id)}`, {signal: page.signal}), place = h('section', {class: 'card'});
  root.append(h('h1', {}, `${playerName(match.a_name)} – ${playerName(match.b_name)}`), h('p', {class: 'dim'}, `${match.profile}, ${gameLength(match)}, `, h('a', {href: `#/job/${match.job}`}, `job ${match.job}`), ', ', h('a', {href: '#/games'}, 'all matches')), place);
  await pagedList(place, page, `/v1/matches/${id}/games`, {}, items => items.length
    ? table(['Game', 'Throws first', `Points of ${playerName(match.a_name)}, end by end`, 'Result'], items.map(game => [h('a', {href: `#/games/${id}/${game.id}`}, game.id), h('td', {'data-head': 'first'}, game.throws_first),
      h('span', {}, game.ends.map((end, k) => h('span', {class: 'end', title: `${endName(k, match.ends)}, ${end.hammer ? 'with' : 'without'} the hammer`}, `${k === match.ends ? 'extra: ' : ''}${end.score > 0 ? '+' : ''}${end.score}${end.hammer ? '' : '°'}`))),
      `${points(game.ends, 1)} : ${points(game.ends, -1)}, ${game.half_points === 2 ? `${playerName(match.a_name)} won` : game.half_points === 0 ? `${playerName(match.b_name)} won` : 'drawn'}${game.conceded ? ', conceded' : ''}`]), 'stack')
    : empty('No games.'));
  place.append(h('p', {class: 'dim small'}, '° without the hammer.'));
}

// ---- a game ----

const capital = text => text[0].toUpperCase() + text.slice(1);

/** The lines of a game as boards: red is the player that throws first in the first end. */
function readGame(lines) {
  const [head, ...shots] = lines.trim().split('\n').map(line => JSON.parse(line));
  const red = shots[0]?.player;
  return {head, shots: shots.map(shot => {
    const side = shot.player === red ? 'team0' : 'team1';
    const board = {...emptyBoard(head.profile), end: shot.end, shot: shot.shot, hammer: shot.hammer ? side : other(side)};
    shot.stones.forEach((at, k) => {
      if (at)
        board.stones[k % 2 === shot.shot % 2 ? side : other(side)][k >> 1] = {x: at[0], y: at[1]};
    });
    const value = typeof shot.win_probability === 'number' ? side === 'team0' ? shot.win_probability : 1 - shot.win_probability : null;
    return {...shot, side, board, value, redLead: side === 'team0' ? shot.lead : -shot.lead};
  })};
}

/** A shot of the records; in dc4 its rate of turn is free. */
const spoken = ({velocity: [x, y], omega}, profile) => ({velocity: {x, y}, ...(profile.startsWith('dc4') ? {angular_velocity: -omega} : {rotation: omega > 0 ? 'ccw' : 'cw'})});

async function showGame(root, page, id) {
  const {head, shots} = readGame(await text(`/v1/games/${encodeURIComponent(id)}`, {signal: page.signal, headers: {Accept: 'application/x-ndjson'}}));
  const names = {team0: head.throws_first, team1: head.throws_last}, sheet = new Sheet();
  const line = h('p', {role: 'status'}), facts = h('div', {}), trouble = h('div', {});
  const range = h('input', {type: 'range', min: 0, max: shots.length - 1, value: 0, 'aria-label': 'shot of the game', oninput: () => go(range.valueAsNumber)});
  const playButton = h('button', {class: 'primary', onclick: () => playing ? stop() : play()}, 'Play');
  const values = card('Win probability of red', valueGraph());
  let at = 0, playing = false, turn = 0;

  range.style.width = '100%';
  root.append(h('h1', {}, `Game ${id}`), h('p', {}, TEAMS.map(team => [h('span', {class: `key ${team}`}), `${names[team]} (${TEAM_NAMES[team]})  `]), h('a', {href: `#/games/${head.match}`}, 'all games of the match')),
    h('div', {class: 'board'}, h('div', {class: 'ice'}, sheet.svg),
      h('div', {}, card('Shot', line, range, h('div', {class: 'buttons'}, h('button', {onclick: () => go(at - 1)}, 'Back'), playButton, h('button', {onclick: () => go(at + 1)}, 'Next'),
        ends().map(k => h('button', {onclick: () => go(k)}, capital(endName(shots[k].end, head.ends))))), facts, trouble,
      h('p', {class: 'dim small'}, h('span', {}, 'Solid: what was called. Dashed: what was thrown. '), 'The keys ← and → step.')).element, values.element)));
  const keys = event => {
    if (event.target.closest('input, select, textarea'))
      return;
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      go(at + (event.key === 'ArrowRight' ? 1 : -1));
      event.preventDefault();
    }
  };
  document.addEventListener('keydown', keys);
  page.signal.addEventListener('abort', () => { document.removeEventListener('keydown', keys); sheet.stop?.(); });
  await go(0);

  function ends() {
    return shots.map((shot, k) => k).filter(k => k === 0 || shots[k].end !== shots[k - 1].end);
  }

  async function go(k) {
    if (k < 0 || k >= shots.length)
      return;
    const own = ++turn, shot = shots[at = k];
    range.value = k;
    sheet.stop?.();
    sheet.clearMarks();
    sheet.setStones(shot.board.stones);
    const lead = shot.redLead === 0 ? 'the score is level' : `${TEAM_NAMES[shot.redLead > 0 ? 'team0' : 'team1']} leads by ${Math.abs(shot.redLead)}`;
    line.textContent = `${capital(endName(shot.end, head.ends))}, shot ${shot.shot + 1}: ${names[shot.side]} (${TEAM_NAMES[shot.side]}${shot.hammer ? ', has the hammer' : ''}) throws; ${lead}.`;
    const row = (name, value) => [h('dt', {}, name), h('dd', {}, value)];
    const speed = ([x, y]) => `${Math.hypot(x, y).toFixed(3)} ${speedUnit(head.profile)}, ${(Math.atan2(x, y) * 180 / Math.PI).toFixed(2)}° to the right`;
    facts.replaceChildren(h('dl', {}, row('called', speed(shot.intended.velocity)), row('thrown', speed(shot.executed.velocity)), row('turn', shot.intended.omega > 0 ? 'counter-clockwise' : 'clockwise'),
      typeof shot.win_probability === 'number' ? row('thrower expects', `${percent(shot.win_probability)} to win`) : null, typeof shot.expected_score !== 'number' ? null : row('points expected', number(shot.expected_score, 2)),
      shot.simulations ? row('simulations', number(shot.simulations)) : null, shot.foul ? row('foul', 'the free guard zone was offended') : null));
    values.body.querySelector('.now')?.setAttribute('transform', `translate(${k} 0)`);
    try {
      const [called, thrown] = await Promise.all([throwShot(shot.board, spoken(shot.intended, head.profile), {}, page.signal), throwShot(shot.board, spoken(shot.executed, head.profile), {}, page.signal)]);
      if (own !== turn)
        return;
      trouble.replaceChildren();
      called.paths.forEach((path, n) => sheet.addPath(path.points, n ? 'other' : ''));
      thrown.paths.forEach(path => sheet.addPath(path.points, 'thrown'));
      await sheet.animate(thrown.paths, page.signal);
      if (own === turn)
        sheet.setStones((shots[k + 1]?.end === shot.end ? shots[k + 1].board : afterThrow(shot.board, thrown)).stones);
    } catch (error) {
      if (own === turn && error.name !== 'AbortError')
        trouble.replaceChildren(errorBox(error));
    }
  }

  async function play() {
    playing = true;
    playButton.textContent = 'Stop';
    let own = at;
    while (playing && !page.signal.aborted && own === at && at < shots.length - 1) {
      own = at + 1;
      await go(own);
      await new Promise(resolve => setTimeout(resolve, 700));
    }
    stop();
  }
  function stop() {
    playing = false;
    playButton.textContent = 'Play';
  }

  /** Over all shots; a fall after the thrower's shot by FELL or more is marked. */
  function valueGraph() {
    const known = shots.map((shot, k) => ({k, value: shot.value, side: shot.side})).filter(point => point.value !== null);
    if (known.length < 2)
      return empty('The players of this game do not say what they expect.');
    const rows = [], width = Math.max(shots.length, 2), height = 60, y = value => (1 - value) * height;
    const marks = known.slice(1).map((point, k) => ({...point, before: known[k]})).filter(({value, before}) => (before.side === 'team0' ? before.value - value : value - before.value) >= FELL);
    const begins = ends(), rowOf = k => h('span', {}, `${shots[k].end + 1}`);
    begins.forEach((k, n) => { (rows[n] = rowOf(k)).style.flexGrow = (begins[n + 1] ?? shots.length) - k; });
    return h('div', {}, h('div', {class: 'value-graph'}, h('div', {class: 'scale'}, ['100 %', '50 %', '0 %'].map(text => h('span', {}, text))), s('svg', {class: 'values', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img',
      'aria-label': `win probability of red over the game, ${marks.length} large falls`},
    [0, 0.5, 1].map(value => s('line', {class: 'grid', x1: 0, x2: width, y1: y(value), y2: y(value), 'vector-effect': 'non-scaling-stroke'})),
    s('polyline', {points: known.map(point => `${point.k},${y(point.value)}`).join(' '), 'vector-effect': 'non-scaling-stroke'}),
    marks.map(({k, value, before}) => s('line', {class: 'blunder', x1: before.k, x2: k, y1: y(before.value), y2: y(value), 'vector-effect': 'non-scaling-stroke'})),
    begins.slice(1).map(k => s('line', {class: 'grid', x1: k, x2: k, y1: 0, y2: height, 'vector-effect': 'non-scaling-stroke'})),
    s('line', {class: 'now', x1: 0, x2: 0, y1: 0, y2: height, 'vector-effect': 'non-scaling-stroke'})),
    h('div', {}), h('div', {class: 'ends'}, rows)), h('p', {class: 'dim small'}, 'End by end, as the players expect it; shots that cost much are red.'),
    marks.length ? h('div', {class: 'buttons'}, marks.map(({before, value}) => h('button', {class: 'small', onclick: () => go(before.k)},
      `${endName(shots[before.k].end, head.ends)}, shot ${shots[before.k].shot + 1}: ${TEAM_NAMES[before.side]} −${Math.round(100 * Math.abs(value - before.value))} %`))) : h('p', {class: 'dim small'}, 'No shot cost 15 points or more.'));
  }
}
