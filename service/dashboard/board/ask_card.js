import {isEndOver} from '../curling/board.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {Labelled} from '../parts/inputs.js';
import {PLAYER_LIST, PlayerList} from '../parts/player_list.js';
import {html} from '../vendor/preact.js';
import {ask} from './asking.js';

const SECONDS_LEAST = 0.05;
const SECONDS_MOST = 600;

/** The player to ask, and its time. */
export function AskCard({session}) {
  const {player, seconds, board, verdict} = useStore(session);
  const isWrong = isEndOver(board) || verdict?.errors.length > 0;
  return html`<${Card} title="Ask a player">
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
    <div class="buttons">
      <button class="primary" disabled=${isWrong} onClick=${() => session.work(ask)}>
        Ask for the best shot
      </button>
    </div>
  <//>`;
}
