// One job: its state as it changes, what it was asked, what came out, its log, and what can be
// done with it.
import {get, listen, post, remove, text} from './api.js';
import {card, confirmed, duration, errorBox, fold, h, jobWords, loading, number, percent, playerName, properties, stateBadge, STATES, update, when} from './dom.js';
import {bandOf} from './run_curves.js';

const ENDED = ['done', 'buried', 'cancelled'];

// What may be done in which state; the service has the last word.
const ACTIONS = [
  {name: 'pause', label: 'Pause', states: ['ready', 'leased']},
  {name: 'resume', label: 'Resume', states: ['paused'], primary: true},
  {name: 'kick', label: 'Try again', states: ['buried'], primary: true},
  {name: 'cancel', label: 'Cancel', states: ['ready', 'leased', 'paused'], danger: true, question: 'End this job? What it has found so far is kept.'},
  {name: 'delete', label: 'Delete', states: ENDED, danger: true, question: 'Delete this job, with its runs, matches and records?'},
];

/** Buttons for what may be done with a job {id, state}; errors are shown in `problem`, then(action)
 * is called after success. */
export function jobButtons(job, problem, then) {
  const button = action => h('button', {class: action.danger ? 'danger' : action.primary ? 'primary' : null, onclick: async event => {
    const pressed = event.currentTarget;
    if (action.question && !await confirmed(action.question, action.label))
      return;
    pressed.disabled = true;
    problem.replaceChildren();
    try {
      await (action.name === 'delete' ? remove(`/v1/jobs/${job.id}`) : post(`/v1/jobs/${job.id}/${action.name}`));
      await then(action);
    } catch (error) {
      problem.replaceChildren(errorBox(error));
      pressed.disabled = false;
    }
  }}, action.label);
  return ACTIONS.filter(action => action.states.includes(job.state)).map(button);
}

export async function show(root, page) {
  const id = page.args[0];
  let job = await get(`/v1/jobs/${encodeURIComponent(id)}`, {signal: page.signal});
  const title = h('h1', {}, `${job.kind} ${id} `), badge = h('span', {});
  const words = h('p', {}), bar = h('progress', {max: 1, 'aria-label': 'progress'}), left = h('p', {class: 'dim', role: 'status'});
  const buttons = h('div', {class: 'buttons'}), problem = h('div', {});
  const state = card('State'), spec = card('What was asked'), result = card('Result'), events = card('As it happens'), log = card('Log', loading());
  const eventLines = h('pre', {'aria-label': 'events', tabindex: 0});

  title.append(badge);
  events.set(eventLines);
  events.element.hidden = true;
  root.append(title, words, bar, left, buttons, problem,
    h('div', {class: 'columns'}, h('div', {}, result.element, spec.element), h('div', {}, state.element, events.element, log.element)));

  function draw() {
    const share = job.progress;
    badge.replaceChildren(stateBadge(job.state));
    words.textContent = jobWords(job.kind, job.spec);
    bar.hidden = ENDED.includes(job.state);
    if (share === null || share === undefined)
      bar.removeAttribute('value');
    else
      bar.value = share;
    left.textContent = job.state === 'ready' ? `Waits: ${job.waiting_because ?? 'for a worker'}`
      : job.state === 'leased' ? `${percent(share)}${job.eta_s === null ? '' : `, ${duration(job.eta_s)} left`}${job.wanted ? `, will be ${job.wanted}` : ''}` : '';
    update(buttons, [job.runs.length ? h('a', {class: 'button', href: `#/run/${job.runs.join(',')}`}, 'Curves') : null,
      ...(job.kind === 'match' || job.kind === 'tournament') && job.state === 'done' ? [h('a', {class: 'button', href: `#/games?job=${id}`}, 'Games')] : [],
      ...jobButtons(job, problem, moved)]);
    const row = (name, value) => [h('dt', {}, name), h('dd', {}, value)];
    state.set(h('dl', {}, row('attempt', `${job.attempt} of ${job.max_attempts}`), row('priority', number(job.priority)),
      row('added', when(job.created_at)), row('started', when(job.started_at)), row('ended', when(job.finished_at)),
      job.crashes ? row('crashes', number(job.crashes)) : null, job.checkpoint ? row('checkpoint', properties(job.checkpoint)) : null),
    job.error ? errorBox({title: job.error.code, detail: job.error.detail}) : null);
    spec.set(properties(job.spec));
    if (job.result)
      result.set(headline(job), fold('All of it', properties(job.result)), fold('As JSON', h('pre', {}, JSON.stringify(job.result, null, 1))));
    else
      result.set(h('p', {class: 'empty'}, ENDED.includes(job.state) ? 'It ended without a result.' : 'Not yet.'));
  }

  async function refresh() {
    job = await get(`/v1/jobs/${id}`, {signal: page.signal});
    draw();
    await refreshLog();
  }
  async function refreshLog() {
    let lines;
    try {
      lines = await text(`/v1/jobs/${id}/log`, {signal: page.signal});
    } catch (error) {
      if (error.name !== 'AbortError')
        log.set(errorBox(error));
      return;
    }
    const old = log.body.querySelector('pre'), stays = old && old.scrollTop + old.clientHeight < old.scrollHeight - 8;
    if (old && old.textContent === lines)
      return;
    const now = h('pre', {tabindex: 0, 'aria-label': 'the last lines of the worker'}, lines || '(nothing was said)');
    log.set(now);
    now.scrollTop = stays ? old.scrollTop : now.scrollHeight;
  }

  /** After a button did what it says. */
  async function moved(action) {
    if (action.name === 'delete') {
      location.hash = '#/';
      return;
    }
    await refresh();
    follow();
  }

  let following = false;
  async function follow() {
    if (following || ENDED.includes(job.state))
      return;
    following = true;
    await listen(`/v1/jobs/${id}/events`, (name, data) => {
      if (name === 'reset' && data) {
        job = {...job, ...data};
      } else if (name === 'progress') {
        job.progress = data.progress ?? job.progress;
        job.eta_s = data.eta_s ?? null;
      } else if (name === 'partial') {
        job.result = data.result;
      } else if (name === 'state') {
        job.state = data.state;
      }
      if (name !== 'reset') {
        events.element.hidden = false;
        eventLines.textContent = [`${new Date().toLocaleTimeString()} ${name} ${short(name, data)}`, ...eventLines.textContent.split('\n')].slice(0, 200).join('\n');
      }
      draw();
    }, page.signal);
    following = false;
    if (!page.signal.aborted)
      await refresh();
  }

  draw();
  follow();
  page.every(2500, () => ENDED.includes(job.state) ? refreshLog() : refresh());
}

/** What an event says, in a line. */
function short(name, data) {
  const line = name === 'progress' && typeof data.progress === 'number' ? `${percent(data.progress)}${typeof data.eta_s === 'number' ? `, ${duration(data.eta_s)} left` : ''}`
    : name === 'metrics' && data.rows ? data.rows.map(row => `${row.name} ${number(row.value)}`).join(', ')
      : name === 'state' ? STATES[data.state] ?? data.state : JSON.stringify(data);
  return line.length > 300 ? `${line.slice(0, 300)} …` : line;
}

/** The figures of a result that people ask for first. */
function headline(job) {
  const result = job.result;
  // An end that is null is infinitely far away: who has won everything may be as strong as one likes.
  const interval = (ends, digits) => {
    const [low, high] = (ends ?? []).map(end => typeof end === 'number' ? end.toFixed(digits) : null);
    return low && high ? ` (${low} to ${high})` : low ? ` (${low} or more)` : high ? ` (${high} or less)` : '';
  };
  const rows = [];
  if (job.kind === 'match' && typeof result.win_percent === 'number') {
    rows.push(['share of points', `${result.win_percent.toFixed(1)} %${interval(result.interval_percent, 1)} for ${job.spec.a}`]);
    if (typeof result.elo === 'number')
      rows.push(['Elo', `${result.elo.toFixed(0)}${interval(result.elo_interval, 0)}`]);
    const games = result.a?.games;
    if (games)
      rows.push(['games', `${games.wins} won, ${games.draws} drawn, ${games.losses} lost${result.extra_ends ? `; ${result.games_with_extra_ends} went to extra ends` : ''}`]);
    const score = result.pair_score;
    if (typeof score?.percent === 'number')
      rows.push(['pairs, by the score of both games', `${score.percent.toFixed(1)} %${interval(score.interval_percent, 1)}: ${score.wins} won, ${score.draws} drawn, ${score.losses} lost`]);
  } else if (job.kind === 'tournament' && result.ladder) {
    for (const player of result.ladder)
      rows.push([player.player, `Elo ${player.elo.toFixed(0)}${player.interval?.[0] === player.interval?.[1] ? ', the anchor' : interval(player.interval, 0)}`]);
  } else if (job.kind === 'exploitability') {
    for (const [words, mean] of [['won from it without the hammer', result.sente], ['with the hammer', result.gote], ['both', result.nash_conv]])
      if (typeof mean?.points === 'number')
        rows.push([words, `${mean.points.toFixed(2)} ± ${(1.96 * (mean.standard_error ?? 0)).toFixed(2)} points per end`]);
  } else if (job.kind === 'train') {
    for (const {seed, ends, judged} of result.runs ?? []) {
      const rates = Object.entries(judged ?? {}).filter(([name, value]) => name.startsWith('win_rate/') && typeof value === 'number')
        .map(([name, value]) => `${value.toFixed(1)} %${interval(['low', 'high'].map(end => judged[bandOf(name, end)]), 0)} of ${playerName(name.slice('win_rate/'.length))}`);
      rows.push([`seed ${seed}`, [`${number(ends)} ends`, ...rates.length ? [`wins ${rates.join(', ')}`] : []].join('; ')]);
    }
  } else {
    for (const [name, value] of Object.entries(result))
      if (typeof value === 'number')
        rows.push([name.replaceAll('_', ' '), number(value)]);
  }
  return rows.length ? h('dl', {}, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, h('b', {}, value))])) : null;
}
