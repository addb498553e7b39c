import {words} from '../lib/format.js';
import {STATE_NAMES} from '../lib/job_states.js';
import {Card} from '../parts/card.js';
import {When} from '../parts/cells.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const COLUMNS = [
  {head: 'When', cell: ({at}) => html`<${When} at=${at} />`},
  {head: 'What', cell: ({kind}) => STATE_NAMES[kind] ?? words(kind)},
  {head: 'By', cell: ({by}) => by},
  {head: 'Why', wide: 'what', cell: ({detail}) => detail},
];

/** The last things that happened to a job, newest first; events: as in `history`. */
export function HistoryCard({events}) {
  const items = events.map((event, id) => ({...event, id})).reverse();
  return html`<${Card} title="History">
    <${Table} columns=${COLUMNS} items=${items} nothing="Nothing happened yet." />
  <//>`;
}
