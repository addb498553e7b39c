// Who is how strong: ratings with their intervals, and who wins how much from whom.
import {get, query} from './api.js';
import {card, empty, errorBox, gameLength, h, loading, number, playerName, s, table, when} from './dom.js';
import {PROFILES} from './curling.js';

// What is needed of a match: its result is long.
const FIELDS = 'id,a,b,a_name,b_name,ends,extra_ends,pairs,at,result.win_percent,result.interval_percent,result.a.with_first_hammer,result.a.without_first_hammer';
const MATCHES_MAX = 2000, ENDS = 2; // as everywhere where nobody says how many

export async function show(root, page) {
  const profile = page.args[0] ?? 'dc2', shown = {ends: Number(page.args[1] ?? ENDS), extra_ends: Number(page.args[2] ?? 0)};
  const go = () => { location.hash = `#/ladder/${choice.value}/${length.value}`; };
  const choice = h('select', {onchange: go}, PROFILES.map(one => h('option', {value: one, selected: one === profile}, one)));
  const length = h('select', {onchange: go}), played = new Map(); // lengths of games by their key
  const ladder = card('Elo', loading()), matrix = card('Who wins from whom', loading()), detail = card('Matches', empty('Choose a field of the table above.'));
  const weak = card('How much can be won from them', loading());

  root.append(h('h1', {}, 'Ladder'), h('div', {class: 'toolbar'}, h('label', {}, 'Profile', choice), h('label', {}, 'Ends', length)),
    h('div', {class: 'columns'}, h('div', {}, ladder.element, weak.element), h('div', {}, matrix.element, detail.element)));

  offerEnds([]);

  /** Those of which there are matches, and the one that is shown. */
  function offerEnds(matches) {
    const known = played.size;
    for (const one of [shown, {ends: ENDS, extra_ends: 0}, ...matches])
      played.set(key(one), one);
    if (played.size > known) // else it stays as it is, maybe open
      length.replaceChildren(...[...played.values()].sort((a, b) => a.ends - b.ends || a.extra_ends - b.extra_ends)
        .map(one => h('option', {value: key(one), selected: key(one) === key(shown)}, gameLength(one))));
  }

  async function refresh() {
    try {
      const [ratings, all, responses] = await Promise.all([get(`/v1/ratings${query({profile, ...shown})}`, {signal: page.signal}), allMatches(profile, page.signal),
        get(`/v1/exploitability${query({profile, limit: 50})}`, {signal: page.signal})]);
      const matches = all.filter(match => key(match) === key(shown));
      offerEnds(all);
      drawLadder(ladder, ratings);
      drawMatrix(matrix, ratings, matches, (a, b, list) => drawDetail(detail, a, b, list));
      drawWeakness(weak, responses.items);
    } catch (error) {
      if (error.name !== 'AbortError')
        ladder.set(errorBox(error));
    }
  }
  page.every(10000, refresh);
}

const key = ({ends, extra_ends: extra}) => extra ? `${ends}/${extra}` : `${ends}`;

async function allMatches(profile, signal) {
  const list = [];
  for (let cursor; list.length < MATCHES_MAX;) {
    const part = await get(`/v1/matches${query({profile, cursor, limit: 500, fields: FIELDS})}`, {signal});
    list.push(...part.items);
    cursor = part.next_cursor;
    if (!cursor)
      break;
  }
  return list;
}

function drawLadder(place, ratings) {
  const items = ratings.items;
  if (!items.length) {
    place.set(empty('No matches of this profile and length have been rated. Matches and tournaments are rated when they end.'));
    return;
  }
  const low = Math.min(...items.map(item => item.low)), high = Math.max(...items.map(item => item.high)), span = Math.max(high - low, 1);
  const x = elo => 2 + (elo - low) / span * 96;
  const bar = item => s('svg', {viewBox: '0 0 100 12', preserveAspectRatio: 'none', role: 'img', 'aria-label': `from ${item.low.toFixed(0)} to ${item.high.toFixed(0)}`},
    low < 0 && high > 0 ? s('line', {class: 'zero', x1: x(0), x2: x(0), y1: 0, y2: 12, 'vector-effect': 'non-scaling-stroke'}) : null,
    s('line', {class: 'bar', x1: x(item.low), x2: x(item.high), y1: 6, y2: 6, 'vector-effect': 'non-scaling-stroke'}),
    s('rect', {class: 'dot', x: x(item.elo) - 0.8, width: 1.6, y: 2, height: 8}));
  const view = table(['Player', '#Elo', `${low.toFixed(0)} … ${high.toFixed(0)}`, '#95 % interval', '#Pairs'], items.map(item => [playerName(item.name), item.elo.toFixed(0), bar(item),
    item.player === ratings.anchor ? 'anchor' : `${item.low.toFixed(0)} to ${item.high.toFixed(0)}`, number(item.pairs)]));
  view.classList.add('ladder');
  place.set(view, h('p', {class: 'dim small'}, ratings.seat_advantage_elo === null ? '' : `Having the hammer first is worth ${ratings.seat_advantage_elo.toFixed(0)} Elo. `, 'Rated ', when(ratings.at), '.'));
}

function drawMatrix(place, ratings, matches, choose) {
  const scores = new Map(), names = new Set(ratings.items.map(item => item.player));
  const called = new Map(ratings.items.map(item => [item.player, item.name])), say = player => playerName(called.get(player) ?? player);
  const add = (a, b, share, match) => {
    const key = JSON.stringify([a, b]), sum = scores.get(key) ?? {won: 0, pairs: 0, list: []};
    sum.won += share * match.pairs;
    sum.pairs += match.pairs;
    sum.list.push(match);
    scores.set(key, sum);
  };
  for (const match of matches) {
    const share = match.result?.win_percent;
    if (typeof share !== 'number' || !(match.pairs > 0))
      continue;
    names.add(match.a).add(match.b);
    called.set(match.a, match.a_name).set(match.b, match.b_name);
    add(match.a, match.b, share / 100, match);
    if (match.a !== match.b)
      add(match.b, match.a, 1 - share / 100, match);
  }
  if (!scores.size) {
    place.set(empty('No matches of this profile and length yet.'));
    return;
  }
  const list = [...names];
  const cell = (a, b) => {
    const sum = scores.get(JSON.stringify([a, b]));
    if (!sum || a === b)
      return h('td', {class: 'dim'}, '');
    const share = sum.won / sum.pairs, strength = Math.round(Math.abs(share - 0.5) * 2 * 45);
    const td = h('td', {}, h('button', {'aria-label': `${say(a)} wins ${(100 * share).toFixed(0)} percent from ${say(b)}`, onclick: () => choose(say(a), say(b), sum.list)}, (100 * share).toFixed(0)));
    td.style.background = `color-mix(in srgb, var(--${share >= 0.5 ? 'good' : 'bad'}) ${strength}%, var(--card))`;
    return td;
  };
  place.set(h('p', {class: 'dim small'}, 'Per cent of the points that the player on the left takes from the one above.'),
    h('div', {class: 'scroll'}, h('table', {class: 'heat'}, h('thead', {}, h('tr', {}, h('td', {}), list.map((name, k) => h('th', {scope: 'col', title: say(name)}, k + 1)))),
      h('tbody', {}, list.map((a, k) => h('tr', {}, h('th', {scope: 'row'}, `${k + 1}  ${say(a)}`), list.map(b => cell(a, b))))))));
}

function drawDetail(place, a, b, list) {
  place.set(h('p', {}, h('b', {}, a), ' against ', h('b', {}, b)), table(['Match', 'Share of the first', '#Pairs', 'Won–drawn–lost', 'When'], list.map(match => {
    const first = match.result.a?.with_first_hammer, last = match.result.a?.without_first_hammer;
    const wins = part => part ? `${part.wins}–${part.draws}–${part.losses}` : '–';
    const [low, high] = match.result.interval_percent ?? [];
    return [h('a', {href: `#/games/${match.id}`}, `${match.id}: ${playerName(match.a_name)}`), `${match.result.win_percent.toFixed(1)} %${typeof low !== 'number' || typeof high !== 'number' ? '' : ` (${low.toFixed(0)} to ${high.toFixed(0)})`}`,
      number(match.pairs), first || last ? `${wins(first)} with, ${wins(last)} without` : '–', when(match.at)];
  })), h('p', {class: 'dim small'}, 'Games of the first player, with and without the hammer in the first end.'));
  place.element.scrollIntoView({block: 'nearest'});
}

function drawWeakness(place, items) {
  if (!items.length) {
    place.set(empty('Nothing was measured in this profile. A job of the kind “exploitability” does.'));
    return;
  }
  const points = part => typeof part?.points !== 'number' ? '–' : `${part.points.toFixed(2)} ± ${(1.96 * (part.standard_error ?? 0)).toFixed(2)}`;
  place.set(table(['Player', '#Throwing first', '#With hammer', '#Sum', 'Job'], items.map(item => [playerName(item.name), points(item.sente), points(item.gote), points(item.sum), h('a', {href: `#/job/${item.job}`}, `job ${item.job}`)]), 'stack'),
    h('p', {class: 'dim small'}, 'Points per end that the best of the responders wins, with 95 % intervals: without the hammer, with it, and both.'));
}
