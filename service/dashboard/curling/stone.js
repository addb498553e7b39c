import {html} from '../vendor/preact.js';
import {STONE_RADIUS, TEE_Y} from './dimensions.js';
import {TEAM_NAMES} from './names.js';

/** The text of a stone for screen readers. */
export const stoneWords = (team, slot, at) =>
  `${TEAM_NAMES[team]} stone ${slot + 1}, ${at.x.toFixed(2)} m right, ` +
  `${(at.y - TEE_Y).toFixed(2)} m behind the tee`;

/** A stone at a place. look: further classes; the rest goes to its element. */
export const Stone = ({team, slot, at, look = '', ...rest}) => html`<g
  class="stone ${team} ${look}"
  data-stone="${team}/${slot}"
  transform="translate(${at.x} ${-at.y})"
  aria-label=${stoneWords(team, slot, at)}
  ...${rest}
>
  <circle r=${STONE_RADIUS} />
  <text>${slot + 1}</text>
</g>`;
