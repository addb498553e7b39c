// The curves of one run or of several, live, and what made them.
import {blob, get, listen, post, query} from './api.js';
import {card, empty, errorBox, h, jobWords, loading, number, properties, save, stateBadge, table, when} from './dom.js';
import {Chart, chartsAreBuiltIn} from './charts.js';
import {aboutOf, bandOf, Curves, groupCurves, interpolate, possible} from './run_curves.js';
import {jobButtons} from './page_job.js';

const isPressed = button => button.getAttribute('aria-pressed') === 'true';
const RUNS_MAX = 32, ENDED = ['done', 'buried', 'cancelled'];

export async function show(root, page) {
  const ids = (page.args[0] ?? '').split(',').filter(Boolean).slice(0, RUNS_MAX);
  let runs = await Promise.all(ids.map(id => get(`/v1/runs/${encodeURIComponent(id)}`, {signal: page.signal})));
  const charts = new Map(), place = h('div', {class: 'charts'}, loading()), head = h('div', {class: 'run-head'}), trouble = h('div', {});
  const store = new Curves(ids, page.signal);
  const log = h('button', {'aria-pressed': 'false', onclick: () => setLog(!isPressed(log))}, 'Logarithmic');
  const axis = h('select', {onchange: () => zoom(null, null)}, h('option', {value: 'step'}, runs[0]?.kind === 'train' ? 'ends' : 'step'),
    runs.every(run => run.kind === 'train') ? h('option', {value: 'cpu'}, 'CPU time') : null, h('option', {value: 'time'}, 'time of day'));
  const mean = h('button', {'aria-pressed': runs.length > 2 ? 'true' : 'false', hidden: runs.length < 2, onclick: () => { setMean(!isPressed(mean)); refresh(true); }}, 'Mean over runs');
  const bound = label => h('input', {type: 'number', 'aria-label': label, placeholder: label, onchange: () => zoomTo(from.valueAsNumber, to.valueAsNumber)});
  const from = bound('from'), to = bound('to');
  const all = h('button', {disabled: true, onclick: () => zoom(null, null)}, 'Whole range');
  // Only what can be seen, or nearly, is asked for.
  const seen = new Set(), watcher = new IntersectionObserver(entries => {
    for (const {target, isIntersecting} of entries)
      seen[isIntersecting ? 'add' : 'delete'](target);
    look();
  }, {rootMargin: '200px'});
  let range = {from_step: null, to_step: null};
  setMean(isPressed(mean));

  root.append(h('h1', {}, runs.length === 1 ? `Run ${runs[0].id.slice(0, 8)}` : `${runs.length} runs`), head,
    h('div', {class: 'toolbar'}, h('label', {}, 'Against', axis), log, mean, h('span', {class: 'range'}, from, to), all, runs.map(run => h('button', {onclick: () => csv(run)}, `CSV${runs.length > 1 ? ` of ${run.id.slice(0, 8)}` : ''}`)),
      h('span', {class: 'dim small'}, 'Drag over a chart to zoom, click twice for all.')),
    trouble, place);
  page.signal.addEventListener('abort', () => {
    watcher.disconnect();
    charts.forEach(chart => chart.destroy());
  });

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
            h('button', {onclick: async () => save(`${run.id.slice(0, 8)}-${item.step}`, await blob(`/v1/runs/${run.id}/checkpoints/${item.step}`))}, 'Save'))])) : empty(ENDED.includes(run.state) ? 'None.' : 'None yet.'));
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
      return h('div', {}, runs.length > 1 ? mark : null, h('b', {}, run.kind), ` ${jobWords(run.kind, {...run.spec, seeds: null})}, seed ${run.seed} `, stateBadge(run.state), ' ', h('a', {href: `#/job/${run.job}`}, `job ${run.job}: log and all else`),
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
  function setMean(wanted) {
    mean.setAttribute('aria-pressed', wanted ? 'true' : 'false');
    // Runs share their steps, not the hours they ran in.
    axis.querySelector('[value=time]').disabled = wanted;
    if (wanted && axis.value === 'time')
      axis.value = 'step';
  }
  function zoom(low, high) {
    setRange(low === null ? {from_step: null, to_step: null} : stepsOf(low, high), low !== null);
  }
  /** From a step to another one, as they were written; NaN: the end. */
  function zoomTo(low, high) {
    const range = {from_step: Number.isFinite(low) ? Math.floor(low) : null, to_step: Number.isFinite(high) ? Math.ceil(high) : null};
    setRange(range, false);
  }
  /** Charts keep the part that was dragged over (isDragged), or show all points that they get. */
  function setRange(wanted, isDragged) {
    range = wanted;
    from.value = range.from_step ?? '';
    to.value = range.to_step ?? '';
    all.disabled = range.from_step === null && range.to_step === null;
    if (!isDragged)
      charts.forEach(chart => { chart.zoomed = false; });
    refresh(true);
  }
  /** The range of steps that a part of the axis shows, as far as the points say that are there. */
  function stepsOf(low, high) {
    if (axis.value === 'step')
      return {from_step: Math.floor(low), to_step: Math.ceil(high)};
    const steps = store.all().map(({run, points}) => {
      const at = points.map(placer(run)), after = at.findIndex(x => x !== null && x >= high);
      return [points[Math.max(at.findLastIndex(x => x !== null && x <= low), 0)]?.[0], points[after < 0 ? points.length - 1 : after]?.[0]];
    }).filter(([first]) => first !== undefined);
    return steps.length ? {from_step: Math.min(...steps.map(([first]) => first)), to_step: Math.max(...steps.map(([, last]) => last))} : range;
  }

  async function refresh(again) {
    if (!again)
      runs = await Promise.all(ids.map(id => get(`/v1/runs/${id}`, {signal: page.signal})));
    drawHead();
    const names = [...new Set(runs.flatMap(run => run.metrics))];
    if (!names.length)
      place.replaceChildren(empty(runs.every(run => ENDED.includes(run.state)) ? 'This run has measured nothing.' : 'Nothing was measured yet. Curves appear here by themselves.'));
    else if (!chartsAreBuiltIn)
      await drawLast(names);
    else
      layOut(names);
    store.forget();
    await look();
    await drawDetails();
  }

  // Several lines of one run share a chart; of several runs each has its own, or nothing could be told apart.
  function layOut(names) {
    const groups = groupCurves(names, runs.length > 1), known = new Set(names);
    for (const [title, members] of groups) {
      if (!charts.has(title))
        charts.set(title, new Chart(title, aboutOf(title, members), zoom));
      const chart = charts.get(title);
      chart.members = members;
      chart.names = [...members, ...members.flatMap(name => ['low', 'high'].map(end => bandOf(name, end)).filter(name => known.has(name)))];
      watcher.observe(chart.element);
    }
    const wanted = groups.map(([title]) => charts.get(title).element);
    if (wanted.length !== place.children.length || wanted.some((element, k) => element !== place.children[k]))
      place.replaceChildren(...wanted);
  }

  /** Asks for the curves of the charts that are seen, where they are not there, and draws them. */
  async function look() {
    const due = [...charts.values()].filter(chart => seen.has(chart.element));
    try {
      await store.load({names: [...new Set([...due.flatMap(chart => chart.names), ...(due.length && axis.value === 'cpu' ? ['cpu_s'] : [])])],
        range, mean: isPressed(mean), width: Math.min(...due.map(chart => chart.plotWidth()))});
      trouble.replaceChildren();
      await Promise.all(due.map(draw));
    } catch (error) {
      if (error.name !== 'AbortError')
        trouble.replaceChildren(errorBox(error));
    }
  }

  /** The place of a point on the axis: its step, when it was measured, or the CPU time of the run then. */
  function placer(id) {
    if (axis.value !== 'cpu')
      return ([step, , at]) => axis.value === 'time' ? at : step;
    const spent = store.points(id, 'cpu_s');
    return ([step]) => interpolate(spent ?? [], step);
  }

  /** The lines of one chart: of each run, or the mean with its interval; with their own intervals. */
  function linesOf(names) {
    const labels = [], lines = [], bands = [];
    const add = (points, text, colour) => { lines.push(points.filter(point => point[0] !== null)); labels.push({text, colour}); };
    const last = name => names.length > 1 ? name.split('/').slice(1).join(' ') || name : name;
    names.forEach((name, n) => {
      if (isPressed(mean)) {
        const average = store.points(null, name) ?? [], colour = n, place = placer(null), at = k => average.map(point => [place(point), possible(name, point[k])]);
        add(at(1), `mean ${last(name)}`, colour);
        add(at(3), '95 % high', colour);
        add(at(2), '95 % low', colour);
        bands.push([lines.length - 2, lines.length - 1, lines.length]);
        return;
      }
      runs.forEach((run, k) => {
        const place = placer(run.id), colour = names.length > 1 ? n : k;
        const text = names.length > 1 ? last(name) : runs.length > 1 ? `${run.id.slice(0, 8)}, seed ${run.seed}` : name;
        const own = which => store.points(run.id, which)?.map(point => [place(point), point[1]]);
        const line = own(name), high = own(bandOf(name, 'high')), low = own(bandOf(name, 'low'));
        if (line)
          add(line, text, colour);
        if (line && high && low) {
          add(high, `${text} high`, colour);
          add(low, `${text} low`, colour);
          bands.push([lines.length - 2, lines.length - 1, lines.length]);
        }
      });
    });
    return {labels, curves: lines, bands};
  }

  function draw(chart) {
    if (chart.changes === store.changes)
      return null;
    chart.changes = store.changes;
    return chart.update({x: axis.value === 'time' ? 'time' : axis.value === 'cpu' ? 'CPU seconds' : axis.selectedOptions[0].text, log: isPressed(log), ...linesOf(chart.members)});
  }
  function setLog(wanted) {
    log.setAttribute('aria-pressed', wanted ? 'true' : 'false');
    charts.forEach(chart => { chart.changes = null; });
    look();
  }

  /** Without charts: what was measured last. */
  async function drawLast(names) {
    const last = await Promise.all(runs.map(run => get(`/v1/runs/${run.id}/metrics${query({names: names.join(), max_points: 3})}`, {signal: page.signal})));
    place.replaceChildren(h('section', {class: 'card wide'}, h('div', {class: 'note'}, 'Charts are not built into this rinkd: the chart library could not be had when it was built. The last values:'),
      table(['Curve', 'Run', '#Step', '#Value'], last.flatMap(({curves}) => curves).filter(curve => curve.points.length).map(curve => [curve.name, curve.run.slice(0, 8), number(curve.points.at(-1)[0]), number(curve.points.at(-1)[1])]))));
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
