// The curves of one run or of several, live, and what made them.
import {blob, get, listen, post, query} from './api.js';
import {card, empty, errorBox, h, jobWords, loading, number, properties, save, stateBadge, table, when} from './dom.js';
import {Chart, chartsAreBuiltIn} from './charts.js';
import {jobButtons} from './page_job.js';

const RUNS_MAX = 16, NAMES_MAX = 64, ENDED = ['done', 'buried', 'cancelled'];

export async function show(root, page) {
  const ids = (page.args[0] ?? '').split(',').filter(Boolean).slice(0, RUNS_MAX);
  let runs = await Promise.all(ids.map(id => get(`/v1/runs/${encodeURIComponent(id)}`, {signal: page.signal})));
  const charts = new Map(), place = h('div', {class: 'charts'}, loading()), head = h('div', {}), trouble = h('div', {});
  const log = h('button', {'aria-pressed': 'false', onclick: () => { log.setAttribute('aria-pressed', log.getAttribute('aria-pressed') === 'true' ? 'false' : 'true'); draw(); }}, 'Logarithmic');
  const axis = h('select', {onchange: draw}, h('option', {value: 'step'}, 'step'), h('option', {value: 'time'}, 'time of day'));
  const all = h('button', {onclick: () => zoom(null, null)}, 'Whole range');
  let range = {from_step: null, to_step: null}, curves = [];

  root.append(h('h1', {}, runs.length === 1 ? `Run ${runs[0].id.slice(0, 8)}` : `${runs.length} runs`), head,
    h('div', {class: 'toolbar'}, h('label', {}, 'Against', axis), log, all, runs.map(run => h('button', {onclick: () => csv(run)}, `CSV${runs.length > 1 ? ` of ${run.id.slice(0, 8)}` : ''}`)),
      h('span', {class: 'dim small'}, 'Drag over a chart to zoom, click twice for all.')),
    trouble, place);
  page.signal.addEventListener('abort', () => charts.forEach(chart => chart.destroy()));

  // Below the curves: what made them.
  const details = runs.map(run => {
    const checkpoints = card('Checkpoints', loading());
    get(`/v1/runs/${run.id}/checkpoints`, {signal: page.signal}).then(({items}) => checkpoints.set(items.length
      ? table(['#Step', '#Bytes', 'SHA-256', 'When', ''], items.map(item => [number(item.step), number(item.bytes), item.sha256.slice(0, 12), when(item.at),
        h('button', {onclick: async () => save(`${run.id.slice(0, 8)}-${item.step}`, await blob(`/v1/runs/${run.id}/checkpoints/${item.step}`))}, 'Save')]))
      : empty('None.')), error => checkpoints.set(errorBox(error)));
    return h('div', {}, card(runs.length > 1 ? `Settings of ${run.id.slice(0, 8)}` : 'Settings', properties(run.spec), h('h3', {}, 'Versions'), properties(run.versions),
      Object.keys(run.tags).length ? [h('h3', {}, 'Tags'), properties(run.tags)] : null).element, checkpoints.element);
  });
  root.append(h('div', {class: 'columns'}, details));

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
    range = from === null || axis.value === 'time' ? {from_step: null, to_step: null} : {from_step: Math.floor(from), to_step: Math.ceil(to)};
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
      const body = {runs: ids, names, max_points: 1000};
      for (const [key, value] of Object.entries(range))
        if (value !== null)
          body[key] = value;
      ({curves} = await post('/v1/metrics/query', body, {signal: page.signal}));
      trouble.replaceChildren();
      await draw();
    } catch (error) {
      if (error.name !== 'AbortError')
        trouble.replaceChildren(errorBox(error));
    }
  }

  async function draw() {
    // "x_low" and "x_high" are the interval of "x": a band about its curve, not charts of their own.
    const names = [...new Set(curves.map(curve => curve.name))], known = new Set(names);
    const heads = names.filter(name => !/_(low|high)$/.test(name) || !known.has(name.replace(/_(low|high)$/, '')));
    const time = axis.value === 'time', isLog = log.getAttribute('aria-pressed') === 'true';
    if (!chartsAreBuiltIn) {
      place.replaceChildren(h('section', {class: 'card wide'}, h('div', {class: 'note'}, 'Charts are not built into this rinkd: the chart library could not be had when it was built. The last values:'),
        table(['Curve', 'Run', '#Step', '#Value'], curves.filter(curve => curve.points.length).map(curve => [curve.name, curve.run.slice(0, 8), number(curve.points.at(-1)[0]), number(curve.points.at(-1)[1])]))));
      return;
    }
    for (const name of heads)
      if (!charts.has(name))
        charts.set(name, new Chart(name, zoom));
    const wanted = heads.map(name => charts.get(name).element);
    if (wanted.length !== place.children.length || wanted.some((element, k) => element !== place.children[k]))
      place.replaceChildren(...wanted);
    await Promise.all(heads.map(name => {
      const labels = [], lines = [], bands = [];
      runs.forEach((run, k) => {
        const add = (own, label) => {
          const curve = curves.find(one => one.run === run.id && one.name === own);
          if (!curve)
            return false;
          lines.push(curve.points.map(([step, value, at]) => [time ? at : step, value]));
          labels.push({text: label, colour: k});
          return true;
        };
        const label = runs.length > 1 ? run.id.slice(0, 8) : name;
        add(name, label);
        if (add(`${name}_high`, `${label} high`) && add(`${name}_low`, `${label} low`))
          bands.push([lines.length - 1, lines.length]);
      });
      return charts.get(name).update({x: time ? 'time' : 'step', labels, curves: lines, bands, log: isLog});
    }));
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
