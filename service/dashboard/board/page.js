// A position on the sheet: set it up, ask a player, throw, or play an end against the machine.
import {isEndOver, sideToMove, withStone} from '../curling/board.js';
import {TEAM_NAMES} from '../curling/names.js';
import {Sheet} from '../curling/sheet.js';
import {useStore} from '../lib/store.js';
import {ErrorBox, FieldErrors} from '../parts/notes.js';
import {html, useLayoutEffect, useState} from '../vendor/preact.js';
import {AnswerCard} from './answer_card.js';
import {AskCard} from './ask_card.js';
import {GameCard} from './game_card.js';
import {PositionCard} from './position_card.js';
import {Session} from './session.js';
import {ThrowCard} from './throw_card.js';
import {aimAt} from './throwing.js';

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

/** Below the sheet: the side to move, the counting stones, and errors. */
function PositionWords({session}) {
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

const session = new Session();

/** The name of a counting stone on the sheet. */
const nameOf = ({team, slot}) => `team${team}/${slot}`;

function Ice({clicksAim}) {
  const {board, verdict, say} = useStore(session);
  const counting = verdict?.board === board ? verdict.score.counting.map(nameOf) : [];
  return html`<div class="ice">
    <${Sheet}
      stones=${board.stones}
      marks=${session.marks}
      counting=${counting}
      onMove=${(team, slot, at) => session.edit(withStone(board, team, slot, at))}
      onPoint=${target => clicksAim && aimAt(session, {target})}
    />
    <${PositionWords} session=${session} />
    <p role="status">${say}</p>
  </div>`;
}

export function Page({query}) {
  const [clicksAim, setClicksAim] = useState(true);
  const {isBusy} = useStore(session);
  // A layout effect runs before the page is painted: nobody sees or uses the player of an earlier
  // visit.
  useLayoutEffect(() => {
    session.enter({profile: query.get('profile'), player: query.get('player')});
    return () => session.leave();
  }, []);
  return html`<div aria-busy=${String(isBusy)}>
    <h1>Board</h1>
    <div class="board">
      <${Ice} clicksAim=${clicksAim} />
      <div class="columns">
        <div>
          <${AskCard} session=${session} />
          <${AnswerCard} session=${session} />
        </div>
        <div>
          <${ThrowCard} ...${{session, clicksAim, setClicksAim}} />
          <${GameCard} session=${session} />
          <${PositionCard} session=${session} />
        </div>
      </div>
    </div>
  </div>`;
}
