import {html} from '../vendor/preact.js';
import {BACK_Y, HALF_WIDTH, HOG_Y, MARGIN, RINGS, TEE_Y} from './dimensions.js';

const Line = ({from, to}) =>
  html`<line class="line" x1=${from[0]} y1=${-from[1]} x2=${to[0]} y2=${-to[1]} />`;

const across = y => html`<${Line} from=${[-HALF_WIDTH, y]} to=${[HALF_WIDTH, y]} />`;

/** The rings and the lines of the far end. */
export const House = () => html`<g>
  ${RINGS.map(({radius, name}) => html`<circle class=${name} cx="0" cy=${-TEE_Y} r=${radius} />`)}
  ${across(TEE_Y)}
  <${Line} from=${[0, HOG_Y - MARGIN]} to=${[0, BACK_Y + MARGIN]} />
  ${across(BACK_Y)} ${across(HOG_Y)}
  <rect
    class="edge"
    x=${-HALF_WIDTH}
    y=${-BACK_Y - MARGIN}
    width=${2 * HALF_WIDTH}
    height=${BACK_Y - HOG_Y + 2 * MARGIN}
  />
</g>`;
