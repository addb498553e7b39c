import {TEAM_NAMES} from '../curling/names.js';
import {DASH, percent, playerName} from '../lib/format.js';
import {Card, Fold} from '../parts/card.js';
import {Facts} from '../parts/properties.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {lossWords} from './words.js';

const share = value => (value === null ? DASH : `${value.toFixed(0)} %`);
const ofEnds = (count, all) => `${count} of ${all}`;

const COLUMNS = [
  {
    head: 'Side',
    cell: ({team, player}) => html`<span class="named">
      <span class="key ${team}"></span><span>${playerName(player) || TEAM_NAMES[team]}</span>
    </span>`,
  },
  {head: 'Succeed', isNumber: true, cell: one => share(one.success_percent)},
  {head: 'Mistakes', isNumber: true, cell: one => `${one.mistakes}`},
  {head: 'Calls cost', isNumber: true, cell: one => lossWords(one.call_sum)},
  {head: 'Throws cost', isNumber: true, cell: one => lossWords(one.execution_sum)},
  {
    head: html`Two or more<br />with hammer`,
    label: 'two or more with hammer',
    cell: ({ends}) => ofEnds(ends.two_or_more, ends.with_hammer),
  },
  {
    head: 'Steals',
    label: 'steals',
    cell: ({ends}) => ofEnds(ends.steals, ends.without_hammer),
  },
  {head: 'Forced', label: 'forced to one', cell: ({ends}) => `${ends.forced_to_one}`},
  {head: 'Blanks', label: 'blanks', cell: ({ends}) => `${ends.blanks}`},
];

const KIND_COLUMNS = [
  {head: 'Side', cell: ({team}) => html`<span class="key ${team}"></span>${TEAM_NAMES[team]}`},
  {head: 'Call', cell: ({kind}) => kind},
  {head: 'Shots', isNumber: true, cell: ({shots}) => `${shots}`},
  {head: 'Succeed', isNumber: true, cell: one => share(one.success_percent)},
  {head: 'A call costs', isNumber: true, cell: one => lossWords(one.call_loss)},
  {head: 'A throw costs', isNumber: true, cell: one => lossWords(one.execution_loss)},
];

/** How the chances of red add up from the start to the result. */
function sumRows({start, call, execution, revision, result}) {
  const ofRed = (team, value) => lossWords(team === 'team0' ? value : -value);
  const rows = Object.keys(call).flatMap(team => [
    [`calls of ${TEAM_NAMES[team]}`, ofRed(team, call[team].win)],
    [`throws of ${TEAM_NAMES[team]}`, ofRed(team, execution[team].win)],
  ]);
  return [
    ['red at the start', percent(start.win)],
    ...rows,
    ['the judge’s revisions', lossWords(-revision.win)],
    ['red at the end', percent(result.win)],
  ];
}

/** What each side did, how that adds up, and the check of the judge's hand. */
export function SidesCard({result: {teams, sums, check}}) {
  const kinds = teams.flatMap(({team, kinds: list}) =>
    list.map(row => ({...row, team, id: `${team} ${row.kind}`})),
  );
  const mean = `${lossWords(check.execution_loss, 2)} ± ${percent(check.execution_loss_error, 2)}`;
  return html`<${Card} title="The sides">
    <${Table} columns=${COLUMNS} items=${teams} id="team" kind="stack" label="the sides" />
    <h3>How it adds up</h3>
    <${Facts} rows=${sumRows(sums)} />
    <p class="dim small">
      A throw cost ${mean} on average: near 0 if the hands are those that the judge assumes.
    </p>
    <${Fold} title="By kind of call">
      <${Table} columns=${KIND_COLUMNS} items=${kinds} kind="stack" label="by kind of call" />
    <//>
  <//>`;
}
