import {playerName} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Player} from '../parts/cells.js';
import {Empty, Loaded} from '../parts/notes.js';
import {html} from '../vendor/preact.js';

// The share of the points between each pair of players, over all matches.
const keyOf = (a, b) => JSON.stringify([a, b]);
const isPlayed = match => typeof match.result?.win_percent === 'number' && match.pairs > 0;

/** {names: Map of the names of players, of(a, b): {won, pairs, matches} or undefined}; won counts
 * pairs. The rated players come first. */
function sharesOf(items, matches) {
  const names = new Map(items.map(({player, name}) => [player, name]));
  const sums = new Map();
  const add = (a, b, share, match) => {
    const sum = sums.get(keyOf(a, b)) ?? {won: 0, pairs: 0, matches: []};
    sum.won += share * match.pairs;
    sum.pairs += match.pairs;
    sum.matches.push(match);
    sums.set(keyOf(a, b), sum);
  };
  for (const match of matches.filter(isPlayed)) {
    const {a, b} = match;
    const share = match.result.win_percent / 100;
    names.set(a, match.a_name).set(b, match.b_name);
    add(a, b, share, match);
    if (a !== b) add(b, a, 1 - share, match);
  }
  return {names, count: sums.size, of: (a, b) => sums.get(keyOf(a, b))};
}

const STRENGTH_MOST = 45; // per cent of colour for a player who takes all

/** The share that one player takes from another one; sum: of sharesOf(), or undefined. */
function Cell({sum, a, b, onChoose}) {
  if (!sum) return html`<td class="dim"></td>`;
  const share = sum.won / sum.pairs;
  const strength = Math.round(Math.abs(share - 0.5) * 2 * STRENGTH_MOST);
  const tone = share >= 0.5 ? 'accent' : 'dim'; // red is a team
  const background = `color-mix(in srgb, var(--${tone}) ${strength}%, var(--card))`;
  const percent = (100 * share).toFixed(0);
  return html`<td style=${{background}}>
    <button
      aria-label="${a} wins ${percent} percent from ${b}"
      onClick=${() => onChoose({a, b, matches: sum.matches})}
    >
      ${percent}
    </button>
  </td>`;
}

function Matrix({shares, onChoose}) {
  const players = [...shares.names.keys()];
  const name = player => playerName(shares.names.get(player));
  const head = (player, k) => html`<th scope="col" title=${name(player)}>${k + 1}</th>`;
  const cell = (a, b) => html`<${Cell}
    sum=${a === b ? undefined : shares.of(a, b)}
    a=${name(a)}
    b=${name(b)}
    onChoose=${onChoose}
  />`;
  const row = (a, k) => html`<tr>
    <th scope="row">${`${k + 1}  `}<${Player} name=${shares.names.get(a)} /></th>
    ${players.map(b => cell(a, b))}
  </tr>`;
  return html`
    <p class="dim small">
      Per cent of the points that the player on the left takes from the one above.
    </p>
    <div class="scroll">
      <table class="heat">
        <thead><tr><td></td>${players.map(head)}</tr></thead>
        <tbody>${players.map(row)}</tbody>
      </table>
    </div>
  `;
}

/** matches: undefined while they are not known. onChoose({a, b, matches}): a field was chosen. */
export const MatrixCard = ({
  ratings,
  matches,
  onChoose,
}) => html`<${Card} title="Who wins from whom">
  <${Loaded} value=${matches && sharesOf(ratings.items, matches)}>
    ${shares =>
      shares.count
        ? html`<${Matrix} shares=${shares} onChoose=${onChoose} />`
        : html`<${Empty}>No matches of this profile and length yet.<//>`}
  <//>
<//>`;
