// The live curves of one or more runs, with their policies, checkpoints and settings.
import {chartsAreBuiltIn} from '../charts/library.js';
import {shortId} from '../lib/format.js';
import {TOGETHER_MOST} from './run_rows.js';
import {loadJobKinds} from '../lib/job_kinds.js';
import {hasEnded} from '../lib/job_states.js';
import {useAbort, useLoaded} from '../lib/use_loaded.js';
import {Empty, ErrorBox, LoadedPage} from '../parts/notes.js';
import {html, useMemo, useState} from '../vendor/preact.js';
import {ChartsView} from './charts_view.js';
import {describedCurves} from './curve_names.js';
import {Curves} from './curves.js';
import {Details} from './details.js';
import {DifferencesCard} from './differences_card.js';
import {LastValues} from './last_values.js';
import {RunHeads} from './run_heads.js';
import {Toolbar} from './toolbar.js';
import {useRuns} from './use_runs.js';
import {useView} from './use_view.js';

const UP = {href: '#/runs', words: 'To all runs'};

const DETAILED_MOST = 4; // runs with cards of their own; more have the links to their jobs

function Nothing({runs}) {
  const words = runs.every(hasEnded)
    ? 'This run has measured nothing.'
    : 'Nothing was measured yet. Curves appear here by themselves.';
  return html`<div class="charts"><${Empty}>${words}<//></div>`;
}

function Curved({names, shown, ...rest}) {
  if (!names.length) return html`<${Nothing} runs=${rest.runs} />`;
  if (!chartsAreBuiltIn) return html`<${LastValues} names=${names} ...${rest} />`;
  return html`<${ChartsView} names=${names} view=${shown.view} onZoom=${shown.zoom} ...${rest} />`;
}

function RunView({runs, turn, kinds, curves, leftOut, onDone}) {
  const shown = useView(curves, runs);
  const [problem, setProblem] = useState(null);
  const [unloaded, setUnloaded] = useState(null); // why curves could not be loaded
  const names = [...new Set(runs.flatMap(run => run.metrics))];
  const described = describedCurves(kinds, runs);
  const isOne = runs.length === 1;
  const common = {runs, onProblem: setProblem};
  return html`
    <h1>${isOne ? `Run ${shortId(runs[0].id)}` : `${runs.length} runs`}</h1>
    ${leftOut > 0 && html`<p class="note">${leftOut} more were asked for: too many for a page.</p>`}
    <${RunHeads} ...${common} onDone=${onDone} />
    <${Toolbar} ...${common} shown=${shown} />
    ${[problem, unloaded].filter(Boolean).map(error => html`<${ErrorBox} error=${error} />`)}
    <${Curved}
      ...${{runs, names, described, shown, curves, turn}}
      onProblem=${setUnloaded}
    />
    ${!isOne && html`<${DifferencesCard} runs=${runs} />`}
    ${
      runs.length <= DETAILED_MOST &&
      html`<div class="columns">
        ${runs.map(run => html`<${Details} key=${run.id} ...${{run, turn, isOne}} />`)}
      </div>`
    }
  `;
}

export function Page({args}) {
  const signal = useAbort();
  const asked = useMemo(() => (args[0] ?? '').split(',').filter(Boolean), []);
  const ids = useMemo(() => asked.slice(0, TOGETHER_MOST), []);
  const curves = useMemo(() => new Curves(ids, signal), []);
  const runs = useRuns(ids, curves);
  const kinds = useLoaded(loadJobKinds, []);
  return html`<${LoadedPage} title="Run" up=${UP} loaded=${runs.value ? kinds : runs}>
    ${() => html`
      <${RunView}
        ...${runs.value}
        kinds=${kinds.value}
        curves=${curves}
        leftOut=${asked.length - ids.length}
        onDone=${runs.reload}
      />
    `}
  <//>`;
}
