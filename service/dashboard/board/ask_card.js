import {isEndOver} from '../curling/board.js';
import {get} from '../lib/api.js';
import {useStore} from '../lib/store.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {Labelled} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';
import {ask} from './asking.js';

const LIST = 'board-players';
const SECONDS_LEAST = 0.05;
const SECONDS_MOST = 600;

function Players() {
  const {value} = useLoaded(signal => get('/v1/players', {signal}), []);
  const option = ({name, about}) => html`<option value=${name}>${about}</option>`;
  return html`<datalist id=${LIST}>${(value?.items ?? []).map(option)}</datalist>`;
}

/** Who is asked, and for how long. */
export function AskCard({session}) {
  const {player, seconds, board, verdict} = useStore(session);
  const isWrong = isEndOver(board) || verdict?.errors.length > 0;
  return html`<${Card} title="Ask a player">
    <${Players} />
    <div class="fields">
      <${Labelled} label="Player" help="a name, or NAME:SETTING=VALUE,…">
        <input
          list=${LIST}
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
