import {endName, gameLength} from '../curling/names.js';
import {get} from '../lib/api.js';
import {playerName, withMinus} from '../lib/format.js';
import {useLoaded} from '../lib/use_loaded.js';
import {usePages} from '../lib/use_pages.js';
import {LoadedPage} from '../parts/notes.js';
import {PagedTable} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const UP = {href: '#/games', words: 'To all games'};

/** The points of one side; sign: 1 for the first player, -1 for the other one. */
const points = (ends, sign) => ends.reduce((sum, {score}) => sum + Math.max(sign * score, 0), 0);

function winnerWords(game, match) {
  if (game.half_points === 2) return `${playerName(match.a_name)} won`;
  if (game.half_points === 0) return `${playerName(match.b_name)} won`;
  return game.half_points === null ? 'broken off' : 'drawn';
}

/** The points of the first player in an end. */
function End({end: {score, hammer}, number, ends}) {
  const title = `${endName(number, ends)}, ${hammer ? 'with' : 'without'} the hammer`;
  const extra = number === ends ? 'extra: ' : '';
  const said = `${extra}${score > 0 ? '+' : ''}${withMinus(`${score}`)}${hammer ? '' : '°'}`;
  return html`<span class="end" title=${title}>${said}</span>`;
}

const POLL_MS = 10000;

const columnsOf = match => {
  const nameOfFirst = playerName(match.a_name);
  const link = ({id}) => html`<a href="#/games/${match.id}/${id}">${id}</a>`;
  const end = (one, k) => html`<${End} end=${one} number=${k} ends=${match.ends} />`;
  const result = game =>
    `${points(game.ends, 1)} : ${points(game.ends, -1)}, ${winnerWords(game, match)}` +
    (game.conceded ? ', conceded' : '');
  return [
    {head: 'Game', cell: link},
    {head: 'Throws first', label: 'first', cell: game => game.throws_first},
    {
      head: `Points of ${nameOfFirst}, end by end`,
      cell: ({ends}) => html`<span>${ends.map(end)}</span>`,
    },
    {head: 'Result', cell: result},
  ];
};

function Match({match}) {
  const list = usePages(`/v1/matches/${match.id}/games`, {}, POLL_MS);
  const isGone = list.error?.status === 404;
  const games = {
    columns: columnsOf(match),
    list: isGone ? {items: []} : list,
    nothing: isGone ? 'The records of these games are gone.' : 'No games.',
  };
  return html`
    <h1>${playerName(match.a_name)} – ${playerName(match.b_name)}</h1>
    <p class="dim">
      ${`${match.profile}, ${gameLength(match)}, `}
      <a href="#/job/${match.job}">job ${match.job}</a>${', '}
      <a href="#/games">all matches</a>
    </p>
    <section class="card">
      <${PagedTable} ...${games} kind="stack" />
      <p class="dim small">° without the hammer.</p>
    </section>
  `;
}

/** The games of a match. */
export function MatchPage({id}) {
  const loaded = useLoaded(signal => get(`/v1/matches/${encodeURIComponent(id)}`, {signal}), [id]);
  return html`<${LoadedPage} title="Games" up=${UP} loaded=${loaded}>
    ${match => html`<${Match} match=${match} />`}
  <//>`;
}
