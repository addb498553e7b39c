import {get, post} from '../lib/api.js';
import {shortId} from '../lib/format.js';
import {save} from '../lib/save.js';
import {CommittedInput} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';
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

/** A curve as lines of CSV. */
function csvOf({name, points}) {
  const quoted = `"${name.replaceAll('"', '""')}"`;
  return points.map(([step, value, at]) => `${step},${quoted},${value},${at}\n`).join('');
}

/** All curves of a run as one CSV, some of them at a time. */
async function loadCsv(run, range) {
  const {metrics} = await get(`/v1/runs/${run.id}`); // curves may have come since
  const bounds = Object.entries(range).filter(([, value]) => value !== null);
  const asked = {runs: [run.id], max_points: CSV_POINTS, ...Object.fromEntries(bounds)};
  const parts = [HEAD];
  for (let k = 0; k < metrics.length; k += CSV_NAMES) {
    const names = metrics.slice(k, k + CSV_NAMES);
    const {curves} = await post('/v1/metrics/query', {...asked, names});
    parts.push(...curves.map(csvOf));
  }
  return parts.join('');
}

function CsvButton({run, isOne, range, onProblem}) {
  const saveCsv = async () => {
    try {
      save(`${run.id}.csv`, new Blob([await loadCsv(run, range)], {type: 'text/csv'}));
    } catch (error) {
      onProblem(error);
    }
  };
  return html`<button onClick=${saveCsv}>CSV${isOne ? '' : ` of ${shortId(run.id)}`}</button>`;
}

/** Controls for the view of the curves. shown: of useView(). */
export function Toolbar({runs, shown, onProblem}) {
  const {view} = shown;
  const {range} = view;
  const isWhole = range.from_step === null && range.to_step === null;
  const isOne = runs.length === 1;
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
    ${runs.map(run => html`<${CsvButton} ...${{run, isOne, range, onProblem}} />`)}
    <span class="dim small">Drag over a chart to zoom, click twice for all.</span>
  </div>`;
}
