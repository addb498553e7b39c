import {blob, query} from '../lib/api.js';
import {shortId} from '../lib/format.js';
import {save} from '../lib/save.js';
import {CommittedInput} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';
import {axisName} from './axes.js';

const CSV_POINTS = 10000;

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

function CsvButton({run, isOne, range, onProblem}) {
  const saveCsv = async () => {
    try {
      const asked = query({format: 'csv', max_points: CSV_POINTS, ...range});
      save(`${run.id}.csv`, await blob(`/v1/runs/${run.id}/metrics${asked}`));
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
    <${Toggle} isOn=${view.mean} onToggle=${shown.setMean} hidden=${isOne}>Mean over runs<//>
    <${Range} range=${range} onRange=${shown.setRange} />
    <button disabled=${isWhole} onClick=${shown.showAll}>Whole range</button>
    ${runs.map(run => html`<${CsvButton} ...${{run, isOne, range, onProblem}} />`)}
    <span class="dim small">Drag over a chart to zoom, click twice for all.</span>
  </div>`;
}
