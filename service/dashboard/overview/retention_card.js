import {get, post} from '../lib/api.js';
import {bytes} from '../lib/format.js';
import {usePolled} from '../lib/use_poll.js';
import {Card} from '../parts/card.js';
import {When} from '../parts/cells.js';
import {ConfirmDialog} from '../parts/confirm_dialog.js';
import {ErrorBox} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';

const POLL_MS = 30000; // the service looks through all ended jobs
const NAMES = {jobs: 'Ended jobs', replays: 'Replays', backups: 'Backups'};

const staysWords = ({count, reason}) => `${count}: ${reason}`;
const SIZE = {
  head: 'Size',
  label: 'size',
  cell: list => (list.count ? bytes(list.bytes) : ''),
};
const STAYS = {
  head: 'Stays',
  label: 'stays',
  wide: 'what',
  cell: ({stays}) => stays.map(staysWords).join('; '),
};

/** Those that are empty in all lines are left out. */
const columnsOf = (rules, goes) =>
  [
    {head: 'What', cell: ({kind}) => NAMES[kind]},
    {head: 'Keep', label: 'keep', cell: ({kind}) => rules[kind] || 'all'},
    {head: 'Goes now', label: 'goes now', cell: ({count}) => `${count}`},
    goes.some(({count}) => count > 0) && SIZE,
    goes.some(({stays}) => stays.length > 0) && STAYS,
  ].filter(Boolean);

function BackupLine({backups}) {
  const [last] = backups.items;
  const failure = backups.failure?.error;
  return html`<p class=${failure ? 'field-error' : 'dim small'}>
    ${failure && `The last backup failed (${failure}). `}
    ${last ? html`Newest backup: <${When} at=${last.at} />` : 'There is no backup.'}
    ${backups.every_h > 0 && `, one every ${backups.every_h} h`}
  </p>`;
}

async function load(signal) {
  const [retention, backups] = await Promise.all([
    get('/v1/retention', {signal}),
    get('/v1/backup', {signal}),
  ]);
  return {retention, backups};
}

/** Asks before it removes what goes by the rules. */
function RemoveButton({onProblem, onDone}) {
  const [isAsked, setAsked] = useState(false);
  const answer = async isYes => {
    setAsked(false);
    if (!isYes) return;
    onProblem(null);
    try {
      await post('/v1/retention', undefined, {headers: {Prefer: 'wait=10'}});
      onDone();
    } catch (failure) {
      onProblem(failure);
    }
  };
  return html`
    <div class="buttons">
      <button class="danger" onClick=${() => setAsked(true)}>Remove now</button>
    </div>
    ${
      isAsked &&
      html`<${ConfirmDialog}
      question="Remove what goes by the rules, with its results and files?"
      label="Remove them for good"
      keep="Keep them"
      onAnswer=${answer}
    />`
    }
  `;
}

/** The rules, and what goes by them. */
function Rules({retention: {rules, goes}, onChange}) {
  const [problem, setProblem] = useState(null);
  const isAny = goes.some(({count}) => count > 0);
  return html`
    ${problem && html`<${ErrorBox} error=${problem} />`}
    <${Table} columns=${columnsOf(rules, goes)} items=${goes} id="kind" kind="stack" />
    ${isAny && html`<${RemoveButton} onProblem=${setProblem} onDone=${onChange} />`}
  `;
}

/** What goes by the rules of retention, and the newest backup; hidden until they are known, and
 * from users who may not see them. */
export function RetentionCard() {
  const {value, error, reload} = usePolled(load, POLL_MS);
  const known = error?.status === 403 ? null : value;
  return html`<${Card} title="Kept" hidden=${!known}>
    ${known && html`<${Rules} retention=${known.retention} onChange=${reload} />`}
    ${known && html`<${BackupLine} backups=${known.backups} />`}
  <//>`;
}
