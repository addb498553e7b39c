import {gameLength} from '../curling/ends.js';
import {DASH, number, playerName} from '../lib/format.js';
import {useList} from '../lib/use_list.js';
import {Empty} from '../parts/empty.js';
import {MatchLink} from '../parts/links.js';
import {PagedList} from '../parts/paged_list.js';
import {Table} from '../parts/table.js';
import {When} from '../parts/when.js';
import {html} from '../vendor/preact.js';

const FIELDS = 'id,job,profile,ends,extra_ends,a_name,b_name,pairs,result.win_percent,at';
const NOTHING = 'No games were played yet. Jobs of the kinds “match” and “tournament” play.';
const COLUMNS = [
  {head: 'Match'},
  {head: 'Players', wide: 'what'},
  {head: 'Profile'},
  {head: 'Share of the first', isNumber: true},
  {head: 'Games', isNumber: true},
  {head: 'When'},
];

function rowOf(match) {
  const share = match.result?.win_percent;
  return [
    html`<${MatchLink} id=${match.id} />`,
    `${playerName(match.a_name)} – ${playerName(match.b_name)}`,
    `${match.profile}, ${gameLength(match)}`,
    typeof share === 'number' ? `${share.toFixed(1)} %` : DASH,
    number(2 * match.pairs),
    html`<${When} at=${match.at} />`,
  ];
}

const MatchTable = ({items}) =>
  items.length
    ? html`<${Table} columns=${COLUMNS} rows=${items.map(rowOf)} kind="stack" />`
    : html`<${Empty}>${NOTHING}<//>`;

/** All matches, or those of a job. */
export function MatchesPage({job}) {
  const list = useList('/v1/matches', {job, fields: FIELDS});
  return html`
    <h1>${job ? `Matches of job ${job}` : 'Games'}</h1>
    <section class="card">
      <${PagedList} list=${list}>${items => html`<${MatchTable} items=${items} />`}<//>
    </section>
  `;
}
