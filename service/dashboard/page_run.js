// The curves of one run or of several, live, and what made them.
import {blob, get, listen, post, query} from './api.js';
import {card, empty, errorBox, h, jobWords, loading, number, properties, save, stateBadge, table, when} from './dom.js';
import {Chart, chartsAreBuiltIn} from './charts.js';
import {bandOf, groupCurves, interpolate} from './run_curves.js';
import {jobButtons} from './page_job.js';

const isPressed = button => button.getAttribute('aria-pressed') === 'true';
const RUNS_MAX = 32, NAMES_MAX = 64, POINTS_MAX = 200000, ENDED = ['done', 'buried', 'cancelled'];

export async function show(root, page) {
  const ids = (page.args[0] ?? '').split(',').filter(Boolean).slice(0, RUNS_MAX);
  let runs = await Promise.all(ids.map(id => get(`/v1/runs/${encodeURIComponent(id)}`, {signal: page.signal})));
  const charts = new Map(), place = h('div', {class: 'charts'}, loading()), head = h('div', {}), trouble = h('div', {});
  const log = h('button', {'aria-pressed': 'false', onclick: () => { log.setAttribute('aria-pressed', isPressed(log) ? 'false' : 'true'); draw(); }}, 'Logarithmic');
  const axis = h('select', {onchange: draw}, h('option', {value: 'step'}, runs[0]?.kind === 'train' ? 'ends' : 'step'),
    runs.every(run => run.kind === 'train') ? h('option', {value: 'cpu'}, 'CPU time') : null, h('option', {value: 'time'}, 'time of day'));
  const mean = h('button', {'aria-pressed': runs.length > 2 ? 'true' : 'false', hidden: runs.length < 2, onclick: () => { mean.setAttribute('aria-pressed', isPressed(mean) ? 'false' : 'true'); refresh(true); }}, 'Mean over runs');
  const all = h('button', {onclick: () => zoom(null, null)}, 'Whole range');
  let range = {from_step: null, to_step: null}, curves = [], means = [];

  root.append(h('h1', {}, runs.length === 1 ? `Run ${runs[0].id.slice(0, 8)}` : `${runs.length} runs`), head,
    h('div', {class: 'toolbar'}, h('label', {}, 'Against', axis), log, mean, all, runs.map(run => h('button', {onclick: () => csv(run)}, `CSV${runs.length > 1 ? ` of ${run.id.slice(0, 8)}` : ''}`)),
      h('span', {class: 'dim small'}, 'Drag over a chart to zoom, click twice for all.')),
    trouble, place);
  page.signal.addEventListener('abort', () => charts.forEach(chart => chart.destroy()));

  // Below the curves: what they led to and what made them.
  const details = runs.map(run => {
    const of = runs.length > 1 ? ` of ${run.id.slice(0, 8)}` : '';
    return {policies: card(`Policies${of}`), checkpoints: card(`Checkpoints${of}`, loading()), settings: card(`Settings${of}`, properties(run.spec), h('h3', {}, 'Versions'), properties(run.versions),
      Object.keys(run.tags).length ? [h('h3', {}, 'Tags'), properties(run.tags)] : null)};
  });
  root.append(h('div', {class: 'columns'}, details.map(one => h('div', {}, one.policies.element, one.checkpoints.element, one.settings.element))));

  async function drawDetails() {
    await Promise.all(runs.map(async (run, k) => {
      const {policies, checkpoints} = details[k], alias = policy => `${run.id}.${policy.name}`;
      policies.element.hidden = run.kind !== 'train';
      policies.set(run.policies.length ? table(['Policy', '#Ends', 'Weights', ''], run.policies.map(policy => [policy.name, number(policy.step), policy.sha256.slice(0, 12),
        h('a', {href: `#/board?${new URLSearchParams({player: alias(policy), profile: run.spec.profile})}`}, 'Ask this player')])) : empty('None yet: the first comes with the first checkpoint.'),
      run.policies.length ? h('p', {class: 'help'}, `In queries and jobs: ${alias(run.policies[0])}`) : null);
      try {
        const {items} = await get(`/v1/runs/${run.id}/checkpoints`, {signal: page.signal});
        checkpoints.set(items.length ? table(['#Step', '#Bytes', 'SHA-256', 'When', ''], items.map(item => [number(item.step), number(item.bytes), item.sha256.slice(0, 12), when(item.at),
          h('span', {class: 'buttons'}, run.kind === 'train' ? h('a', {class: 'button', href: branchOf(run, item.step)}, 'Branch') : null,
            h('button', {onclick: async () => save(`${run.id.slice(0, 8)}-${item.step}`, await blob(`/v1/runs/${run.id}/checkpoints/${item.step}`))}, 'Save'))])) : empty('None.'));
      } catch (error) {
        if (error.name !== 'AbortError')
          checkpoints.set(errorBox(error));
      }
    }));
  }
  const branchOf = (run, step) => `#/new/train?${new URLSearchParams({from: run.id, step})}`;

  let drawn = null;
  function drawHead() {
    const states = runs.map(run => run.state).join();
    if (states === drawn)
      return;
    drawn = states;
    head.replaceChildren(...runs.map((run, k) => {
      const mark = h('span', {class: 'key'});
      mark.style.background = `var(--c${k % 6})`;
      return h('div', {}, runs.length > 1 ? mark : null, h('b', {}, run.kind), ` ${jobWords(run.kind, run.spec)}, seed ${run.seed} `, stateBadge(run.state), ' ', h('a', {href: `#/job/${run.job}`}, `job ${run.job}: log and all else`),
        runs.length === 1 && !ENDED.includes(run.state) ? h('div', {class: 'buttons'}, jobButtons({id: run.job, state: run.state}, trouble, () => refresh(false))) : null);
    }));
  }

  async function csv(run) {
    try {
      save(`${run.id}.csv`, await blob(`/v1/runs/${run.id}/metrics${query({format: 'csv', max_points: 10000, ...range})}`));
    } catch (error) {
      trouble.replaceChildren(errorBox(error));
    }
  }
  function zoom(from, to) {
    range = from === null || axis.value !== 'step' ? {from_step: null, to_step: null} : {from_step: Math.floor(from), to_step: Math.ceil(to)};
    if (from === null)
      charts.forEach(chart => { chart.zoomed = false; });
    refresh(true);
  }

  async function refresh(again) {
    if (!again)
      runs = await Promise.all(ids.map(id => get(`/v1/runs/${id}`, {signal: page.signal})));
    drawHead();
    const names = [...new Set(runs.flatMap(run => run.metrics))].slice(0, NAMES_MAX);
    if (!names.length) {
      place.replaceChildren(empty(runs.every(run => ENDED.includes(run.state)) ? 'This run has measured nothing.' : 'Nothing was measured yet. Curves appear here by themselves.'));
      return;
    }
    try {
      const body = {runs: ids, names, max_points: Math.min(1000, Math.floor(POINTS_MAX / (ids.length * names.length)))};
      for (const [key, value] of Object.entries(range))
        if (value !== null)
          body[key] = value;
      const ask = more => post('/v1/metrics/query', {...body, ...more}, {signal: page.signal}).then(answer => answer.curves);
      [curves, means] = await Promise.all([ask({}), isPressed(mean) && runs.length > 1 ? ask({aggregate: 'mean'}) : []]);
      trouble.replaceChildren();
      await draw();
    } catch (error) {
      if (error.name !== 'AbortError')
        trouble.replaceChildren(errorBox(error));
    }
    await drawDetails();
  }

  /** The place of a point on the axis: its step, when it was measured, or the CPU time of the run then. */
  function placer(id) {
    if (axis.value !== 'cpu')
      return ([step, , at]) => axis.value === 'time' ? at : step;
    const spent = id ? curves.find(one => one.run === id && one.name === 'cpu_s') : means.find(one => one.name === 'cpu_s');
    return ([step]) => interpolate(spent?.points ?? [], step);
  }

  /** The lines of one chart: of each run, or the mean with its interval; with their own intervals. */
  function linesOf(names) {
    const labels = [], lines = [], bands = [];
    const add = (points, text, colour) => { lines.push(points.filter(point => point[0] !== null)); labels.push({text, colour}); };
    const last = name => names.length > 1 ? name.split('/').slice(1).join(' ') || name : name;
    names.forEach((name, n) => {
      const average = means.find(one => one.name === name);
      if (average) {
        const colour = n, place = placer(null), at = k => average.points.map(point => [place(point), point[k]]);
        add(at(1), `mean ${last(name)}`, colour);
        add(at(3), '95 % high', colour);
        add(at(2), '95 % low', colour);
        bands.push([lines.length - 1, lines.length]);
        return;
      }
      runs.forEach((run, k) => {
        const place = placer(run.id), colour = names.length > 1 ? n : k;
        const text = names.length > 1 ? last(name) : runs.length > 1 ? `${run.id.slice(0, 8)}, seed ${run.seed}` : name;
        const own = which => curves.find(one => one.run === run.id && one.name === which)?.points.map(point => [place(point), point[1]]);
        const line = own(name), high = own(bandOf(name, 'high')), low = own(bandOf(name, 'low'));
        if (line)
          add(line, text, colour);
        if (high && low) {
          add(high, `${text} high`, colour);
          add(low, `${text} low`, colour);
          bands.push([lines.length - 1, lines.length]);
        }
      });
    });
    return {labels, curves: lines, bands};
  }

  async function draw() {
    const names = [...new Set(curves.map(curve => curve.name))];
    const isLog = isPressed(log);
    if (!chartsAreBuiltIn) {
      place.replaceChildren(h('section', {class: 'card wide'}, h('div', {class: 'note'}, 'Charts are not built into this rinkd: the chart library could not be had when it was built. The last values:'),
        table(['Curve', 'Run', '#Step', '#Value'], curves.filter(curve => curve.points.length).map(curve => [curve.name, curve.run.slice(0, 8), number(curve.points.at(-1)[0]), number(curve.points.at(-1)[1])]))));
      return;
    }
    // Several lines of one run share a chart; of several runs each has its own, or nothing could be told apart.
    const groups = groupCurves(names, runs.length > 1);
    for (const [title] of groups)
      if (!charts.has(title))
        charts.set(title, new Chart(title, zoom));
    const wanted = groups.map(([title]) => charts.get(title).element);
    if (wanted.length !== place.children.length || wanted.some((element, k) => element !== place.children[k]))
      place.replaceChildren(...wanted);
    await Promise.all(groups.map(([title, members]) => charts.get(title).update({x: axis.value === 'time' ? 'time' : axis.value === 'cpu' ? 'CPU seconds' : axis.selectedOptions[0].text, log: isLog, ...linesOf(members)})));
  }

  drawHead();
  // New points are told by the events of the jobs; the curves come thinned out by the service.
  let timer = null;
  const soon = () => { timer ??= setTimeout(() => { timer = null; refresh().catch(() => {}); }, 1000); };
  page.signal.addEventListener('abort', () => clearTimeout(timer));
  for (const job of new Set(runs.filter(run => !ENDED.includes(run.state)).map(run => run.job)))
    listen(`/v1/jobs/${job}/events`, name => ['metrics', 'state', 'done'].includes(name) && soon(), page.signal);
  let first = true;
  page.every(10000, async () => {
    if (first || runs.some(run => !ENDED.includes(run.state)))
      await refresh(first);
    first = false;
  });
}
