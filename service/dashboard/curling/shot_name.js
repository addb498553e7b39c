import {html} from '../vendor/preact.js';
import {ROTATION_NAMES, ROTATION_SIGNS} from './names.js';

const Turn = ({rotation}) =>
  html`<span role="img" aria-label=${ROTATION_NAMES[rotation]} title=${ROTATION_NAMES[rotation]}>
    ${ROTATION_SIGNS[rotation]}
  </span>`;

/** The kind of a shot, with its turn as an arrow where it has one: {kind, shot: {rotation}}. */
export const ShotName = ({kind, shot}) =>
  html`<span>${kind}${shot?.rotation && html` <${Turn} rotation=${shot.rotation} />`}</span>`;

/** The same as a text. */
export const shotText = ({kind, shot}) =>
  shot?.rotation ? `${kind} ${ROTATION_SIGNS[shot.rotation]}` : kind;
