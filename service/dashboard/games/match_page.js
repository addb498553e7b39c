import {endName, gameLength} from '../curling/ends.js';
import {get} from '../lib/api.js';
import {playerName} from '../lib/format.js';
import {useList} from '../lib/use_list.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Empty} from '../parts/empty.js';
import {PagedList} from '../parts/paged_list.js';
import {Table} from '../parts/table.js';
import {WaitingPage} from '../parts/waiting_page.js';
import {html} from '../vendor/preact.js';

const columnsOf = match => [
  {head: 'Game'},
  {head: 'Throws first', label: 'first'},
  {head: `Points of ${playerName(match.a_name)}, end by end`},
  {head: 'Result'},
];

/** The points of one side; sign: 1 for the first player, -1 for the other one. */
const points = (ends, sign) => ends.reduce((sum, {score}) => sum + Math.max(sign * score, 0), 0);

function winnerWords(game, match) {
  if (game.half_points === 2) return `${playerName(match.a_name)} won`;
  return game.half_points === 0 ? `${playerName(match.b_name)} won` : 'drawn';
}

/** The points of the first player in an end. */
function End({end: {score, hammer}, number, ends}) {
  const title = `${endName(number, ends)}, ${hammer ? 'with' : 'without'} the hammer`;
  const extra = number === ends ? 'extra: ' : '';
  const said = `${extra}${score > 0 ? '+' : ''}${score}${hammer ? '' : '°'}`;
  return html`<span class="end" title=${title}>${said}</span>`;
}

function GameTable({match, items}) {
  const ends = game =>
    game.ends.map((end, k) => html`<${End} end=${end} number=${k} ends=${match.ends} />`);
  const row = game => [
    html`<a href="#/games/${match.id}/${game.id}">${game.id}</a>`,
    game.throws_first,
    html`<span>${ends(game)}</span>`,
    `${points(game.ends, 1)} : ${points(game.ends, -1)}, ${winnerWords(game, match)}` +
      (game.conceded ? ', conceded' : ''),
  ];
  if (!items.length) return html`<${Empty}>No games.<//>`;
  return html`<${Table} columns=${columnsOf(match)} rows=${items.map(row)} kind="stack" />`;
}

function Match({match}) {
  const list = useList(`/v1/matches/${match.id}/games`, {});
  return html`
    <h1>${playerName(match.a_name)} – ${playerName(match.b_name)}</h1>
    <p class="dim">
      ${`${match.profile}, ${gameLength(match)}, `}
      <a href="#/job/${match.job}">job ${match.job}</a>${', '}
      <a href="#/games">all matches</a>
    </p>
    <section class="card">
      <${PagedList} list=${list}>
        ${items => html`<${GameTable} match=${match} items=${items} />`}
      <//>
      <p class="dim small">° without the hammer.</p>
    </section>
  `;
}

/** The games of a match. */
export function MatchPage({id}) {
  const loaded = useLoaded(signal => get(`/v1/matches/${encodeURIComponent(id)}`, {signal}), [id]);
  if (!loaded.value) return html`<${WaitingPage} title="Games" loaded=${loaded} />`;
  return html`<${Match} match=${loaded.value} />`;
}
