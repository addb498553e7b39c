import {isEndOver} from '../curling/board.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {ProgressBar} from '../parts/cells.js';
import {Labelled} from '../parts/inputs.js';
import {PLAYER_LIST, PlayerList} from '../parts/player_list.js';
import {html, useEffect, useState} from '../vendor/preact.js';
import {ask, stopThinking} from './asking.js';

const SECONDS_LEAST = 0.05;
const SECONDS_MOST = 600;

const TICK_MS = 200;

/** How much of the time to think is over. */
function ThinkingBar({thinking: {begin, seconds}}) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const share = Math.min((now - begin) / (1000 * seconds), 1);
  return html`<${ProgressBar} share=${share} label="time to think" />`;
}

/** Asks, or stops the player that thinks. */
function AskButtons({session, isWrong}) {
  const {thinking} = useStore(session);
  if (!thinking)
    return html`<div class="buttons">
      <button class="primary" disabled=${isWrong}>Ask for the best shot</button>
    </div>`;
  return html`
    <div class="buttons">
      <button
        type="button"
        disabled=${!thinking.id || thinking.isStopped}
        onClick=${() => stopThinking(session)}
      >
        Stop thinking
      </button>
    </div>
    <${ThinkingBar} thinking=${thinking} />
  `;
}

/** The player to ask, and its time. Enter in a field asks. */
export function AskCard({session}) {
  const {player, seconds, board, verdict} = useStore(session);
  const isWrong = isEndOver(board) || verdict?.errors.length > 0;
  const submit = event => {
    event.preventDefault();
    if (!isWrong) session.work(ask);
  };
  return html`<${Card} title="Ask a player" isTool>
    <form class="ask" onSubmit=${submit}>
    <${PlayerList} />
    <div class="fields">
      <${Labelled} label="Player" help="a name, or NAME:SETTING=VALUE,…">
        <input
          list=${PLAYER_LIST}
          placeholder="default player"
          spellcheck=${false}
          value=${player}
          onInput=${({target}) => session.set({player: target.value})}
        />
      <//>
      <${Labelled} label="Seconds to think">
        <input
          type="number"
          min=${SECONDS_LEAST}
          max=${SECONDS_MOST}
          step="any"
          value=${seconds}
          onInput=${({target}) => session.set({seconds: target.value})}
        />
      <//>
    </div>
    <${AskButtons} session=${session} isWrong=${isWrong} />
    </form>
  <//>`;
}
