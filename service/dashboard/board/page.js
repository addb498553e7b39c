// A position on the sheet: set it up, ask a player, throw, or play an end against the machine.
import {isEndOver, sideToMove, withStone} from '../curling/board.js';
import {TEAM_NAMES} from '../curling/names.js';
import {heatOf} from '../curling/heat.js';
import {Scoreboard} from '../curling/scoreboard.js';
import {Sheet} from '../curling/sheet.js';
import {loadProfiles} from '../lib/profiles.js';
import {useStore} from '../lib/store.js';
import {useLoaded} from '../lib/use_loaded.js';
import {ErrorBox, FieldErrors, LoadedPage} from '../parts/notes.js';
import {html, useEffect, useLayoutEffect, useMemo, useRef, useState} from '../vendor/preact.js';
import {AnswerCard} from './answer_card.js';
import {AskCard} from './ask_card.js';
import {addCall} from './calls.js';
import {CallsCard} from './calls_card.js';
import {GameCard} from './game_card.js';
import {HandCard} from './hand_card.js';
import {MapCard} from './map_card.js';
import {callAt, pictureOf} from './mapping.js';
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

/** Above the sheet: the side to move, the counting stones, and errors. */
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

const NARROW = '(max-width: 52rem)';

/** On a narrow screen the sheet is far above the answers: shows it while a player thinks. */
function useSight(isThinking) {
  const place = useRef(null);
  useEffect(() => {
    if (isThinking && matchMedia(NARROW).matches) place.current.scrollIntoView({block: 'start'});
  }, [isThinking]);
  return place;
}

/** A click on the ice: compares the shot of the map's cell there, or aims. */
function point(at, clicksAim) {
  const {map} = session.state;
  const call = map?.answer && callAt(map, at);
  if (call) session.work(() => addCall(session, call));
  else if (clicksAim) aimAt(session, {target: at});
}

function Ice({clicksAim}) {
  const {board, verdict, say, thinking, map} = useStore(session);
  const heat = useMemo(() => map?.answer && heatOf(pictureOf(map.answer, map)), [map]);
  const place = useSight(Boolean(thinking));
  const counting = verdict?.board === board ? verdict.score.counting.map(nameOf) : [];
  return html`<div class="ice" ref=${place}>
    <${Scoreboard} board=${board} />
    <${PositionWords} session=${session} />
    <p class="say" role="status">${say}</p>
    <${Sheet}
      stones=${board.stones}
      marks=${session.marks}
      counting=${counting}
      onMove=${(team, slot, at) => session.edit(withStone(board, team, slot, at))}
      heat=${heat}
      onPoint=${at => point(at, clicksAim)}
    />
  </div>`;
}

function Board({query}) {
  const [clicksAim, setClicksAim] = useState(true);
  const {isBusy} = useStore(session);
  // A layout effect runs before the page is painted: nobody sees or uses the player of an earlier
  // visit.
  useLayoutEffect(() => {
    session.enter(query);
    return () => session.leave();
  }, []);
  // A link to the bare page changes the address, but not the position.
  useEffect(() => session.writeAddress(), [query]);
  return html`<div aria-busy=${String(isBusy)}>
    <h1 class="unseen">Board</h1>
    <div class="board">
      <${Ice} clicksAim=${clicksAim} />
      <div class="columns">
        <div>
          <${AskCard} session=${session} />
          <${AnswerCard} session=${session} />
          <${MapCard} session=${session} />
          <${CallsCard} session=${session} />
        </div>
        <div>
          <${ThrowCard} ...${{session, clicksAim, setClicksAim}} />
          <${HandCard} session=${session} />
          <${GameCard} session=${session} />
          <${PositionCard} session=${session} />
        </div>
      </div>
    </div>
  </div>`;
}

/** The board needs the rules of its profile. */
export function Page({query}) {
  const loaded = useLoaded(loadProfiles, []);
  return html`<${LoadedPage} title="Board" loaded=${loaded}>
    ${() => html`<${Board} query=${query} />`}
  <//>`;
}
