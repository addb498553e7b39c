import {TEE_Y} from '../curling/dimensions.js';
import {ROTATION_NAMES, ROTATIONS} from '../curling/names.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {CheckBox, CommittedInput, Select} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';
import {throwNow} from './game.js';
import {aimAt, CLOUD, takeAim, throwCloud} from './throwing.js';

const WEIGHTS = ['0', '0.08', '0.2']; // extra speed over a draw, as a share
const WEIGHT_NAMES = {0: 'draw: stops there', 0.08: 'hit, light', 0.2: 'hit, hard'};

const Metres = ({value, onMetres, ...rest}) => html`<${CommittedInput}
  ...${rest}
  type="number"
  step="any"
  value=${value.toFixed(2)}
  onCommit=${(text, metres) => onMetres(metres || 0)}
/>`;

/** The target of the stone, its weight and its turn. session: a store with what aimAt() wants. */
export function Aim({session}) {
  const {target, weight, rotation} = useStore(session);
  const change = changes => aimAt(session, changes);
  const aimX = x => change({target: {...target, x}});
  const aimY = y => change({target: {...target, y: TEE_Y + y}});
  const right = {label: 'Metres right of the middle', min: -3, max: 3};
  const behind = {label: 'Metres behind the tee', min: -8, max: 3};
  const weights = {label: 'Weight', values: WEIGHTS, names: WEIGHT_NAMES};
  const turns = {label: 'Turn', values: ROTATIONS, names: ROTATION_NAMES};
  return html`<div class="fields short">
    <${Metres} ...${right} value=${target.x} onMetres=${aimX} />
    <${Metres} ...${behind} value=${target.y - TEE_Y} onMetres=${aimY} />
    <${Select} ...${weights} value=${weight} onSelect=${one => change({weight: one})} />
    <${Select} ...${turns} value=${rotation} onSelect=${one => change({rotation: one})} />
  </div>`;
}

const Check = ({children, ...rest}) =>
  html`<p><label><${CheckBox} ...${rest} />${' '}${children}</label></p>`;

/** A throw by hand. */
export function ThrowCard({session, clicksAim, setClicksAim}) {
  const {hasNoise} = useStore(session);
  const setNoise = isOn => session.set({hasNoise: isOn});
  return html`<${Card} title="Throw" isTool>
    <p class="dim small">
      Take one of the player’s shots, or aim: click on the ice, or write where the stone shall go.
    </p>
    <${Aim} session=${session} />
    <${Check} isOn=${clicksAim} onToggle=${setClicksAim}>clicks on the ice aim<//>
    <${Check} isOn=${hasNoise} onToggle=${setNoise}>with the error of the hand<//>
    <div class="buttons">
      <button class="primary" onClick=${() => session.work(throwNow)}>Throw</button>
      <button onClick=${() => session.work(throwCloud)}>Where ${CLOUD} such throws end</button>
      <button onClick=${() => takeAim(session)}>Show the aim</button>
    </div>
  <//>`;
}
