import {SETTING_NAMES, unitOf} from '../curling/hand.js';
import {number} from '../lib/format.js';
import {useProfile} from '../lib/profiles.js';
import {useStore} from '../lib/store.js';
import {Card, Fold} from '../parts/card.js';
import {Labelled} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';

const changed = hand => Object.keys(hand).length;

/** A setting of the hand; empty: as the profile has it. */
function Setting({setting, hand, onHand}) {
  const {name, minimum, maximum, about} = setting;
  const unit = unitOf(setting);
  const change = ({target}) => {
    const value = target.valueAsNumber;
    const all = Object.entries({...hand, [name]: value});
    onHand(Object.fromEntries(all.filter(([, one]) => !Number.isNaN(one))));
  };
  return html`<${Labelled}
    label=${`${SETTING_NAMES[name] ?? name}${unit && `, ${unit}`}`}
    help=${about}
  >
    <input
      type="number"
      step="any"
      min=${minimum}
      max=${maximum}
      placeholder=${setting.default === null ? 'none' : number(setting.default)}
      value=${hand[name] ?? ''}
      onChange=${change}
    />
  <//>`;
}

/** The errors of the hands that throw here: of answers, maps, calls and throws. */
export function HandCard({session}) {
  const {board, hand} = useStore(session);
  const settings = useProfile(board.profile)?.noise.settings ?? [];
  const words = changed(hand)
    ? 'A hand of your own throws, for both sides.'
    : 'The usual hand of the profile throws, for both sides.';
  return html`<${Card} title="Hand" isTool=${!changed(hand)}>
    <p class="dim small">
      ${words}${' '}<a href="#/hand?profile=${board.profile}">Estimate a hand from its throws</a>
    </p>
    <${Fold} title="Errors of the hand">
      <div class="fields">
        ${settings.map(
          setting =>
            html`<${Setting}
              key=${setting.name}
              setting=${setting}
              hand=${hand}
              onHand=${one => session.setHand(one)}
            />`,
        )}
      </div>
    <//>
    ${
      changed(hand) > 0 &&
      html`<div class="buttons">
        <button onClick=${() => session.setHand({})}>Take the usual hand</button>
      </div>`
    }
  <//>`;
}
