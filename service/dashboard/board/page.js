// A position on the sheet: set it up, ask a player, throw, or play an end against the machine.
import {Sheet} from '../curling/sheet.js';
import {useStore} from '../lib/store.js';
import {html, useLayoutEffect, useState} from '../vendor/preact.js';
import {AnswerCard} from './answer_card.js';
import {AskCard} from './ask_card.js';
import {GameCard} from './game_card.js';
import {PositionCard} from './position_card.js';
import {PositionWords} from './position_words.js';
import {Session} from './session.js';
import {ThrowCard} from './throw_card.js';
import {aimAt} from './throwing.js';

const session = new Session();

/** The team and the slot of a counting stone, as the sheet calls it. */
const nameOf = ({team, slot}) => `team${team}/${slot}`;

function Ice({clicksAim}) {
  const {board, verdict, say} = useStore(session);
  const counting = verdict?.board === board ? verdict.score.counting.map(nameOf) : [];
  return html`<div class="ice">
    <${Sheet}
      stones=${board.stones}
      marks=${session.marks}
      counting=${counting}
      onMove=${(team, slot, at) => session.moveStone(team, slot, at)}
      onPoint=${target => clicksAim && aimAt(session, {target})}
    />
    <${PositionWords} session=${session} />
    <p role="status">${say}</p>
  </div>`;
}

export function Page({query}) {
  const [clicksAim, setClicksAim] = useState(true);
  const {isBusy} = useStore(session);
  // Before the page is painted: a player or a position from before must not be seen or used.
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
