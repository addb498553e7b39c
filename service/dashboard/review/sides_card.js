import {TEAM_NAMES} from '../curling/names.js';
import {DASH, percent, playerName} from '../lib/format.js';
import {Card, Fold} from '../parts/card.js';
import {Facts} from '../parts/properties.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {lossWords, valueWords} from './words.js';

const share = value => (value === null ? DASH : `${value.toFixed(0)} %`);
const ofEnds = (count, all) => `${count} of ${all}`;

/** A loss of a side in the game, from the sums of all. */
const ofGame =
  (sums, part, measure) =>
  ({team}) =>
    lossWords(sums[part][team][measure], measure);

const columnsOf = (sums, measure) => [
  {
    head: 'Side',
    cell: ({team, player}) => html`<span class="named">
      <span class="key ${team}"></span><span>${playerName(player) || TEAM_NAMES[team]}</span>
    </span>`,
  },
  {head: 'Succeed', isNumber: true, cell: one => share(one.success_percent)},
  {head: 'Mistakes', isNumber: true, cell: one => `${one.mistakes}`},
  {head: 'By calls', isNumber: true, cell: ofGame(sums, 'call', measure)},
  {head: 'By throws', isNumber: true, cell: ofGame(sums, 'execution', measure)},
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

/** The mean loss of a shot of a kind. */
const ofKind = (part, measure) => one =>
  lossWords(one[measure === 'points' ? `${part}_loss_points` : `${part}_loss`], measure);

const kindColumnsOf = measure => [
  {head: 'Side', cell: ({team}) => html`<span class="key ${team}"></span>${TEAM_NAMES[team]}`},
  {head: 'Call', cell: ({kind}) => kind},
  {head: 'Shots', isNumber: true, cell: ({shots}) => `${shots}`},
  {head: 'Succeed', isNumber: true, cell: one => share(one.success_percent)},
  {head: 'By a call', isNumber: true, cell: ofKind('call', measure)},
  {head: 'By a throw', isNumber: true, cell: ofKind('execution', measure)},
];

const ENDS = {
  win: ['red at the start', 'red at the end'],
  points: ['what the ends were worth to red', 'lead of red at the end'],
};

/** How the chances of red, or its points, add up from the start to the result. */
function sumRows({start, call, execution, revision, result}, measure) {
  const ofRed = (team, loss) => lossWords(team === 'team0' ? loss : -loss, measure);
  const rows = Object.keys(call).flatMap(team => [
    [`calls of ${TEAM_NAMES[team]}`, ofRed(team, call[team][measure])],
    [`throws of ${TEAM_NAMES[team]}`, ofRed(team, execution[team][measure])],
  ]);
  const [first, last] = ENDS[measure];
  return [
    [first, valueWords(start[measure], measure)],
    ...rows,
    ['the judge’s revisions', lossWords(-revision[measure], measure)],
    [last, valueWords(result[measure], measure)],
  ];
}

/** What each side did, how that adds up, and the check of the judge's hand. */
export function SidesCard({result: {teams, sums, check}, measure}) {
  const kinds = teams.flatMap(({team, kinds: list}) =>
    list.map(row => ({...row, team, id: `${team} ${row.kind}`})),
  );
  const mean = lossWords(check.execution_loss, 'win', 2);
  const error = percent(check.execution_loss_error, 2);
  const table = {columns: columnsOf(sums, measure), id: 'team', label: 'the sides'};
  return html`<${Card} title="The sides">
    <${Table} ...${table} items=${teams} kind="stack" />
    <h3>How it adds up</h3>
    <${Facts} rows=${sumRows(sums, measure)} />
    <p class="dim small">
      A throw changed the chances by ${mean} ± ${error} on average: near 0 if the hands are those
      that the judge assumes.
    </p>
    <${Fold} title="By kind of call">
      <${Table}
        columns=${kindColumnsOf(measure)}
        items=${kinds}
        kind="stack"
        label="by kind of call"
      />
    <//>
  <//>`;
}
