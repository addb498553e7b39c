import {gameLength} from '../curling/names.js';
import {DASH, number, playerName} from '../lib/format.js';
import {usePages} from '../lib/use_pages.js';
import {MatchLink, When} from '../parts/cells.js';
import {PagedTable} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {ImportCard} from './import_card.js';

const POLL_MS = 10000;
const FIELDS = 'id,job,profile,ends,extra_ends,a_name,b_name,pairs,result.win_percent,at';
const NOTHING = html`No games were played yet: <a href="#/new/match">play a match</a>, or drop a
  log below.`;

const playerWords = match => `${playerName(match.a_name)} – ${playerName(match.b_name)}`;

function shareWords({result}) {
  const share = result?.win_percent;
  return typeof share === 'number' ? `${share.toFixed(1)} %` : DASH;
}

const COLUMNS = [
  {head: 'Match', cell: ({id}) => html`<${MatchLink} id=${id} />`},
  {head: 'Players', wide: 'what', cell: playerWords},
  {head: 'Profile', term: 'profile', cell: match => `${match.profile}, ${gameLength(match)}`},
  {head: 'Share of the first', term: 'share of points', isNumber: true, cell: shareWords},
  {head: 'Games', isNumber: true, cell: ({pairs}) => number(2 * pairs)},
  {head: 'When', cell: ({at}) => html`<${When} at=${at} />`},
];

/** All matches, or those of a job. */
export function MatchesPage({job}) {
  const list = usePages('/v1/matches', {job, fields: FIELDS}, POLL_MS);
  return html`
    <h1>${job ? `Matches of job ${job}` : 'Games'}</h1>
    <section class="card">
      <${PagedTable} list=${list} columns=${COLUMNS} nothing=${NOTHING} kind="stack" />
    </section>
    ${!job && html`<${ImportCard} />`}
  `;
}
