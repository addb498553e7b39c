import {curveVariable} from '../charts/colours.js';
import {hasEnded} from '../lib/job_states.js';
import {jobWords} from '../lib/job_words.js';
import {StateBadge} from '../parts/cells.js';
import {JobButtons} from '../parts/job_buttons.js';
import {html} from '../vendor/preact.js';

const Key = ({number}) =>
  html`<span class="key" style=${{background: `var(${curveVariable(number)})`}}></span>`;

const FEW = 8; // lines that may push the curves down

/** A line per run, and buttons to control its job. Many lines scroll. */
export function RunHeads({runs, onProblem, onDone}) {
  const isOne = runs.length === 1;
  const head = (run, k) => html`<div key=${run.id}>
    ${!isOne && html`<${Key} number=${k} />`}<b>${run.kind}</b>
    ${` ${jobWords(run.kind, {...run.spec, seeds: null})}, seed ${run.seed} `}
    <${StateBadge} state=${run.state} />${' '}
    <a href="#/job/${run.job}">job ${run.job}: log and all else</a>
    ${
      isOne &&
      !hasEnded(run) &&
      html`<div class="buttons">
      <${JobButtons} id=${run.job} state=${run.state} onProblem=${onProblem} onDone=${onDone} />
    </div>`
    }
  </div>`;
  const region = runs.length > FEW && {tabindex: 0, role: 'region', 'aria-label': 'the runs'};
  return html`<div class="run-head ${region ? 'many' : ''}" ...${region || {}}>
    ${runs.map(head)}
  </div>`;
}
