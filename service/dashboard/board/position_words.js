import {isEndOver, sideToMove} from '../curling/board.js';
import {TEAM_NAMES} from '../curling/names.js';
import {useStore} from '../lib/store.js';
import {ErrorBox, FieldErrors} from '../parts/notes.js';
import {html} from '../vendor/preact.js';

function countWords({team0: red, team1: yellow}) {
  if (red) return `Red lies ${red}.`;
  return yellow ? `Yellow lies ${yellow}.` : 'Nobody counts.';
}

function Turn({board}) {
  if (isEndOver(board)) return 'The end is over. ';
  const side = sideToMove(board);
  const words = `Shot ${board.shot + 1}: ${TEAM_NAMES[side]} throws. `;
  return html`<span class="key ${side}"></span>${words}`;
}

/** Below the sheet: whose turn it is, who counts, and what is wrong. */
export function PositionWords({session}) {
  const {verdict, error} = useStore(session);
  return html`
    <p>${verdict && html`<${Turn} board=${verdict.board} />${countWords(verdict.score)}`}</p>
    <div>
      ${error && html`<${ErrorBox} error=${error} />`}
      <${FieldErrors} errors=${error?.errors ?? []} />
      ${verdict && html`<${FieldErrors} errors=${verdict.errors} nowhere="position" />`}
    </div>
  `;
}
