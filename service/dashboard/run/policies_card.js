import {number} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Empty} from '../parts/empty.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const COLUMNS = [{head: 'Policy'}, {head: 'Ends', isNumber: true}, {head: 'Weights'}, {head: ''}];

const playerOf = (run, policy) => `${run.id}.${policy.name}`;

function AskLink({run, policy}) {
  const asked = new URLSearchParams({player: playerOf(run, policy), profile: run.spec.profile});
  return html`<a href="#/board?${asked}">Ask this player</a>`;
}

function PolicyTable({run}) {
  const row = policy => [
    policy.name,
    number(policy.step),
    policy.sha256.slice(0, 12),
    html`<${AskLink} run=${run} policy=${policy} />`,
  ];
  return html`
    <${Table} columns=${COLUMNS} rows=${run.policies.map(row)} />
    <p class="help">In queries and jobs: ${playerOf(run, run.policies[0])}</p>
  `;
}

/** The players that a training has made so far. */
export const PoliciesCard = ({run, title}) =>
  html`<${Card} title=${title} hidden=${run.kind !== 'train'}>
    ${
      run.policies.length
        ? html`<${PolicyTable} run=${run} />`
        : html`<${Empty}>None yet: the first comes with the first checkpoint.<//>`
    }
  <//>`;
