import {boardAddress} from '../curling/board_address.js';
import {TEAM_NAMES} from '../curling/names.js';
import {capital} from '../lib/format.js';
import {KeepPosition} from '../library/keep.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {ErrorBox} from '../parts/notes.js';
import {html} from '../vendor/preact.js';
import {lossWithError, lossWords, shotName, valueWords} from './words.js';

function Row({look, name, kind, value, loss}) {
  return html`<tr>
    <th scope="row"><span class="line-key ${look}"></span>${name}</th>
    <td>${kind}</td>
    <td class="number">${value}</td>
    <td class="number">${loss}</td>
  </tr>`;
}

/** The three values of a shot, and what lies between them. */
function Values({shot: {called, best, values, call, execution, estimated, success}, measure}) {
  const valueOf = name => valueWords(values[name][measure], measure);
  return html`<table class="split">
    <thead>
      <tr><td></td><th scope="col">Shot</th>
      <th scope="col" class="number">${measure === 'points' ? 'Points' : 'Wins'}</th>
      <th scope="col" class="number">Change</th></tr>
    </thead>
    <tbody>
      <${Row}
        ...${{look: 'better', name: 'best', loss: ''}}
        kind=${best?.kind ?? 'the call'}
        value=${valueOf('best')}
      />
      <${Row}
        look="called"
        name=${estimated ? 'called (estimated)' : 'called'}
        kind=${called.kind}
        value=${valueOf('called')}
        loss=${lossWithError(call, measure)}
      />
      <${Row}
        look="thrown"
        name="thrown"
        kind=${success ? 'as called' : 'not as called'}
        value=${valueOf('thrown')}
        loss=${lossWords(execution[measure], measure)}
      />
    </tbody>
  </table>`;
}

/** The shot that is shown. shots: of the review; record: of the game. */
export function ReviewShotCard({replay, shots, ends, measure}) {
  const {at, error} = useStore(replay);
  const shot = shots[at];
  if (!shot) return html`<${Card} title="Shot"><p>The side conceded.</p><//>`;
  const board = boardAddress(replay.shots[at].board);
  return html`<${Card} title=${capital(shotName(shot, ends))}>
    <p role="status">
      <span class="key ${shot.team}"></span>
      ${`${TEAM_NAMES[shot.team]} throws${shot.hammer ? ', with the hammer' : ''}. `}
      ${shot.mistake ? 'The call was a mistake.' : 'Nothing clearly better was found.'}
    </p>
    <${Values} shot=${shot} measure=${measure} />
    <div class="buttons">
      <button onClick=${() => replay.step(-1)}>Back</button>
      <button onClick=${() => replay.step(1)}>Next</button>
      <a class="button" href=${board}>Open on the board</a>
    </div>
    <${KeepPosition} board=${replay.shots[at].board} best=${shot.best?.shot} />
    ${error && html`<${ErrorBox} error=${error} />`}
    <p class="dim small">
      For ${TEAM_NAMES[shot.team]}, over the errors of the hand.${' '}
      <span class="tool">The keys ← and → step.</span>
    </p>
  <//>`;
}
