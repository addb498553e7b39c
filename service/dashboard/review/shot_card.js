import {boardAddress} from '../curling/board_address.js';
import {TEAM_NAMES} from '../curling/names.js';
import {capital, percent} from '../lib/format.js';
import {KeepPosition} from '../library/keep.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {ErrorBox} from '../parts/notes.js';
import {html} from '../vendor/preact.js';
import {lossWithError, lossWords, shotName} from './words.js';

function Row({look, name, kind, value, loss}) {
  return html`<tr>
    <th scope="row"><span class="line-key ${look}"></span>${name}</th>
    <td>${kind}</td>
    <td class="number">${percent(value)}</td>
    <td class="number">${loss}</td>
  </tr>`;
}

/** The three values of a shot, and what lies between them. */
function Values({shot: {called, best, values, call, execution, estimated, success}}) {
  const better = best ?? {kind: 'the call'};
  const thrown = success ? 'as called' : 'not as called';
  return html`<table class="split">
    <thead>
      <tr><td></td><th scope="col">Shot</th><th scope="col" class="number">Wins</th>
      <th scope="col" class="number">Cost</th></tr>
    </thead>
    <tbody>
      <${Row} look="better" name="best" kind=${better.kind} value=${values.best.win} loss="" />
      <${Row}
        look="called"
        name=${estimated ? 'called (estimated)' : 'called'}
        kind=${called.kind}
        value=${values.called.win}
        loss=${lossWithError(call)}
      />
      <${Row}
        look="thrown"
        name="thrown"
        kind=${thrown}
        value=${values.thrown.win}
        loss=${lossWords(execution.win)}
      />
    </tbody>
  </table>`;
}

/** The shot that is shown. shots: of the review; record: of the game. */
export function ReviewShotCard({replay, shots, ends}) {
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
    <${Values} shot=${shot} />
    <div class="buttons">
      <button onClick=${() => replay.step(-1)}>Back</button>
      <button onClick=${() => replay.step(1)}>Next</button>
      <a class="button" href=${board}>Open on the board</a>
    </div>
    <${KeepPosition} board=${replay.shots[at].board} best=${shot.best?.shot} />
    ${error && html`<${ErrorBox} error=${error} />`}
    <p class="dim small">
      Chances of ${TEAM_NAMES[shot.team]} to win, over the errors of the hand. A cost within its
      interval is no mistake. <span class="tool">The keys ← and → step.</span>
    </p>
  <//>`;
}
