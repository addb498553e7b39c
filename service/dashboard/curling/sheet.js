// The far end of the sheet, drawn to scale: one unit of the picture is a metre. The house is at the
// top, as the thrower sees it.
import {useStore} from '../lib/store.js';
import {html} from '../vendor/preact.js';
import {BACK_Y, HALF_WIDTH, HOG_Y, MARGIN, pointOf, RINGS, TEE_Y} from './dimensions.js';
import {Heat} from './heat.js';
import {MovableStone} from './movable_stone.js';
import {TEAMS} from './names.js';
import {Stone} from './stone.js';

const SIDE = 0.1; // of the picture, beyond the side lines
const SAMPLE_RADIUS = 0.05;
const AIM_SIZE = 0.2; // half of the cross

const Line = ({from, to}) =>
  html`<line class="line" x1=${from[0]} y1=${-from[1]} x2=${to[0]} y2=${-to[1]} />`;

const across = y => html`<${Line} from=${[-HALF_WIDTH, y]} to=${[HALF_WIDTH, y]} />`;

/** The rings and the lines of the far end. */
const House = () => html`<g>
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

const VIEW = [
  -HALF_WIDTH - SIDE,
  -BACK_Y - MARGIN,
  2 * (HALF_WIDTH + SIDE),
  BACK_Y - HOG_Y + 2 * MARGIN,
].join(' ');

const nameOf = ({team, slot}) => `${team}/${slot}`;
const lyingStones = stones =>
  TEAMS.flatMap(team => stones[team].map((at, slot) => ({team, slot, at}))).filter(({at}) => at);

const Path = ({points, look}) =>
  html`<polyline class="path ${look}" points=${points.map(({x, y}) => `${x},${-y}`).join(' ')} />`;
const Sample = ({x, y}) => html`<circle class="sample" cx=${x} cy=${-y} r=${SAMPLE_RADIUS} />`;

/** A cross where one has aimed. */
const AimMark = ({x, y}) => html`<g class="aim">
  <${Line} from=${[x - AIM_SIZE, y]} to=${[x + AIM_SIZE, y]} />
  <${Line} from=${[x, y - AIM_SIZE]} to=${[x, y + AIM_SIZE]} />
</g>`;

/** stones[team][slot] as in a board; marks: a store of marks.js; counting: ["team0/3", …].
 * heat: values under the lines of the house, from heatOf().
 * onMove(team, slot, {x, y} or null): stones can be moved. onPoint({x, y}): the ice was clicked. */
export function Sheet({stones, marks, counting = [], heat, onMove, onPoint}) {
  const {paths, samples, aim, moving} = useStore(marks);
  const lying = lyingStones(stones);
  const places = new Map(moving.map(stone => [nameOf(stone), stone.at]));
  const ghosts = moving.filter(one => !lying.some(stone => nameOf(stone) === nameOf(one)));
  const draw = stone => {
    const name = nameOf(stone);
    const look = counting.includes(name) ? 'counting' : '';
    const shown = {...stone, at: places.get(name) ?? stone.at, look, key: name};
    const moved = at => onMove(stone.team, stone.slot, at);
    return onMove
      ? html`<${MovableStone} ...${shown} onMove=${moved} />`
      : html`<${Stone} ...${shown} />`;
  };
  return html`<svg
    class="sheet"
    viewBox=${VIEW}
    role=${onMove ? 'group' : 'img'}
    aria-label="the house and the stones"
    onClick=${event => onPoint?.(pointOf(event))}
  >
    <${House} />
    ${heat && html`<${Heat} ...${heat} />`}
    <g>${paths.map(path => html`<${Path} ...${path} />`)}</g>
    <g>${lying.map(draw)}</g>
    <g>
      ${aim && html`<${AimMark} ...${aim} />`}
      ${samples.map(sample => html`<${Sample} ...${sample} />`)}
      ${ghosts.map(stone => html`<${Stone} ...${stone} key=${nameOf(stone)} look="ghost" />`)}
    </g>
  </svg>`;
}
