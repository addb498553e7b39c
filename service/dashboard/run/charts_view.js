import {Chart} from '../charts/chart.js';
import {AXIS_WIDTH} from '../charts/options.js';
import {isAbort} from '../lib/api.js';
import {html, useEffect, useMemo, useState} from '../vendor/preact.js';
import {axisName} from './axes.js';
import {aboutOf, groupCurves, headOf} from './curve_names.js';
import {linesOf} from './lines.js';
import {seedGroups, SEEDS_LEAST} from './seeds.js';
import {useSeen} from './use_seen.js';

const WIDTH_LEAST = 100;

/** Pixels that the curves of a chart have beside its scale. */
function widthOf(card) {
  const width = card.querySelector('.chart').clientWidth - AXIS_WIDTH;
  return Math.max(width, WIDTH_LEAST);
}

/** Loads the curves of the charts in sight. Returns {view, changes}: the view that the points are
 * there for, null at first, and how often the points have changed. */
function useCurves(curves, {groups, seeds, seen, view, turn, onProblem}) {
  const [loaded, setLoaded] = useState({view: null, changes: 0});
  useEffect(() => {
    const due = groups.filter(({title}) => seen.has(title));
    if (!due.length) return;
    let isCurrent = true;
    const names = new Set(due.flatMap(group => group.names));
    if (view.axis === 'cpu') names.add('cpu_s');
    const width = Math.min(...due.map(({title}) => widthOf(seen.get(title))));
    const means = view.mean ? seeds.filter(({runs}) => runs.length >= SEEDS_LEAST) : [];
    const keys = means.map(({key}) => key);
    const wanted = {names: [...names], range: view.range, means: keys, width};
    const show = () => {
      onProblem(null);
      setLoaded({view, changes: curves.changes});
    };
    curves.load(wanted).then(
      () => isCurrent && show(),
      error => isCurrent && !isAbort(error) && onProblem(error),
    );
    return () => (isCurrent = false);
  }, [groups, seen, view, turn]);
  return loaded;
}

/** One chart; computes its lines again only after a change. */
function RunChart({group, curves, runs, seeds, described, loaded, isSeen, ...rest}) {
  const {view, changes} = loaded;
  const isThere = Boolean(isSeen && view);
  const data = useMemo(() => {
    if (!isThere) return null;
    const {axis, mean, smooth, log, isCut} = view;
    const how = {curves, runs, described, axis, mean, smooth, groups: seeds};
    return {x: axisName(axis, runs), log, isCut, ...linesOf(group.members, how)};
  }, [group, changes, view, isThere]);
  const {title} = group;
  const texts = {head: headOf(title, described), about: aboutOf(title, described)};
  return html`<${Chart} title=${title} ...${texts} data=${data} ...${rest} />`;
}

/** All charts of the runs. Several curves of one run share a chart; with several runs each has its
 * own, to keep them apart. turn: counts the loads of the runs. */
export function ChartsView({names, runs, described, curves, view, turn, onZoom, onProblem}) {
  const {seen, observe} = useSeen();
  const groups = useMemo(() => groupCurves(names, runs.length > 1, described), [names.join()]);
  const seeds = useMemo(() => seedGroups(runs), [runs.length]);
  const loaded = useCurves(curves, {groups, seeds, seen, view, turn, onProblem});
  const draw = group =>
    html`<${RunChart}
      key=${group.title}
      ...${{group, curves, runs, seeds, described, loaded, observe}}
      isSeen=${seen.has(group.title)}
      isZoomed=${view.draggedIn === group.title}
      onZoom=${(low, high) => onZoom(group.title, low, high)}
    />`;
  return html`<div class="charts">${groups.map(draw)}</div>`;
}
