import {get, post} from '../lib/api.js';
import {save} from '../lib/save.js';
import {CommittedInput} from '../parts/inputs.js';
import {html, useState} from '../vendor/preact.js';
import {axisName} from './axes.js';
import {hasMeans} from './use_view.js';

const CSV_POINTS = 10000; // of a curve
const CSV_NAMES = 8; // of a request: the service limits the points of an answer

function Axis({runs, view, onSelect}) {
  const isTraining = runs.every(run => run.kind === 'train');
  return html`<label>Against<select value=${view.axis} onChange=${e => onSelect(e.target.value)}>
    <option value="step">${axisName('step', runs)}</option>
    ${isTraining && html`<option value="cpu">CPU time</option>`}
    <option value="time" disabled=${view.mean}>time of day</option>
  </select></label>`;
}

const Toggle = ({isOn, onToggle, hidden, children}) =>
  html`<button aria-pressed=${String(isOn)} hidden=${hidden} onClick=${() => onToggle(!isOn)}>
    ${children}
  </button>`;

const SMOOTH_MOST = 0.98;

const Smoothing = ({weight, onWeight}) => html`<label
  >Smoothing
  <input
    type="range"
    min="0"
    max=${SMOOTH_MOST}
    step="0.02"
    value=${weight}
    onInput=${({target}) => onWeight(target.valueAsNumber)}
  />
  <span class="amount">${weight.toFixed(2)}</span>
</label>`;

/** The range of steps as two fields; empty: no bound. */
function Range({range, onRange}) {
  const bound = (name, label, round) => {
    const commit = (text, value) =>
      onRange({...range, [name]: Number.isFinite(value) ? round(value) : null});
    return html`<${CommittedInput}
      type="number"
      aria-label=${label}
      placeholder=${label}
      value=${range[name] ?? ''}
      onCommit=${commit}
    />`;
  };
  return html`<span class="range">
    ${bound('from_step', 'from', Math.floor)}${bound('to_step', 'to', Math.ceil)}
  </span>`;
}

const HEAD = 'step,name,value,at_ms\n'; // as in GET /v1/runs/{id}/metrics

/** A curve as lines of CSV; own: what each line begins with. */
function csvOf({name, points}, own) {
  const quoted = `"${name.replaceAll('"', '""')}"`;
  return points.map(([step, value, at]) => `${own}${step},${quoted},${value},${at}\n`).join('');
}

/** All curves of a run as lines of CSV, some of them at a time. */
async function loadLines(run, range, own) {
  const {metrics} = await get(`/v1/runs/${run.id}`); // curves may have come since
  const bounds = Object.entries(range).filter(([, value]) => value !== null);
  const asked = {runs: [run.id], max_points: CSV_POINTS, ...Object.fromEntries(bounds)};
  const parts = [];
  for (let k = 0; k < metrics.length; k += CSV_NAMES) {
    const names = metrics.slice(k, k + CSV_NAMES);
    const {curves} = await post('/v1/metrics/query', {...asked, names});
    parts.push(...curves.map(curve => csvOf(curve, own)));
  }
  return parts.join('');
}

/** The curves of the runs as one CSV; of several runs each line begins with the run. */
async function loadCsv(runs, range) {
  const isOne = runs.length === 1;
  const parts = [isOne ? HEAD : `run,${HEAD}`];
  for (const run of runs) parts.push(await loadLines(run, range, isOne ? '' : `${run.id},`));
  return new Blob(parts, {type: 'text/csv'});
}

function CsvButton({runs, range, onProblem}) {
  const [isBusy, setBusy] = useState(false);
  const name = runs.length === 1 ? runs[0].id : `${runs.length}-runs`;
  const saveCsv = async () => {
    setBusy(true);
    try {
      save(`${name}.csv`, await loadCsv(runs, range));
    } catch (error) {
      onProblem(error);
    }
    setBusy(false);
  };
  return html`<button disabled=${isBusy} onClick=${saveCsv}>CSV</button>`;
}

/** Controls for the view of the curves. shown: of useView(). */
export function Toolbar({runs, shown, onProblem}) {
  const {view} = shown;
  const {range} = view;
  const isWhole = range.from_step === null && range.to_step === null;
  return html`<div class="toolbar">
    <${Axis} runs=${runs} view=${view} onSelect=${shown.setAxis} />
    <${Toggle} isOn=${view.log} onToggle=${shown.setLog}>Logarithmic<//>
    <${Toggle} isOn=${view.mean} onToggle=${shown.setMean} hidden=${!hasMeans(runs)}>
      Mean over seeds
    <//>
    <${Toggle} isOn=${view.isCut} onToggle=${shown.setCut}>Cut extremes<//>
    <${Smoothing} weight=${view.smooth} onWeight=${shown.setSmooth} />
    <${Range} range=${range} onRange=${shown.setRange} />
    <button disabled=${isWhole} onClick=${shown.showAll}>Whole range</button>
    <${CsvButton} ...${{runs, range, onProblem}} />
    <span class="dim small">Drag over a chart to zoom, click twice for all.</span>
  </div>`;
}
