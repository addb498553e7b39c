import {boardAddress} from '../curling/board_address.js';
import {endName, other, speedUnit, TEAM_NAMES} from '../curling/names.js';
import {capital, fixed, number, percent} from '../lib/format.js';
import {useProfile} from '../lib/profiles.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {ErrorBox} from '../parts/notes.js';
import {Facts} from '../parts/properties.js';
import {html} from '../vendor/preact.js';
import {firstShots} from './record.js';

function leadWords(lead) {
  if (lead === 0) return 'the score is level';
  return `${TEAM_NAMES[lead > 0 ? 'team0' : 'team1']} leads by ${Math.abs(lead)}`;
}

function shotWords(shot, names, ends) {
  const hammer = shot.hammer ? ', has the hammer' : '';
  return (
    `${capital(endName(shot.end, ends))}, shot ${shot.shot + 1}: ` +
    `${names[shot.side]} (${TEAM_NAMES[shot.side]}${hammer}) throws; ${leadWords(shot.redLead)}.`
  );
}

const CHOICES = {
  center_house: 'throws last, stone in the house',
  center_guard: 'throws first, stone on guard',
  pp_left: 'power play on the left',
  pp_right: 'power play on the right',
};

/** The setup of an end of mixed doubles. */
function setupWords({setup, player, side}, names) {
  const chooser = setup.player === player ? side : other(side);
  return `${names[chooser]}: ${CHOICES[setup.choice]}`;
}

function speedWords([x, y], profile) {
  const angle = (Math.atan2(x, y) * 180) / Math.PI;
  const side = angle < 0 ? 'left' : 'right';
  const speed = `${Math.hypot(x, y).toFixed(3)} ${speedUnit(profile)}`;
  return `${speed}, ${Math.abs(angle).toFixed(2)}° to the ${side}`;
}

/** A hosted game does not tell what was called before its end. */
function throwFacts({conceded, intended, executed}, profile) {
  if (conceded) return [['conceded', 'the game ends here']];
  const {omega} = executed;
  return [
    intended ? ['called', speedWords(intended.velocity, profile)] : null,
    ['thrown', speedWords(executed.velocity, profile)],
    omega ? ['turn', omega > 0 ? 'counter-clockwise' : 'clockwise'] : null,
  ];
}

function factsOf(shot, profile, names) {
  const {win_probability: share, expected_score: points, simulations, foul} = shot;
  return [
    shot.setup ? ['setup', setupWords(shot, names)] : null,
    ...throwFacts(shot, profile),
    typeof share === 'number' ? ['thrower expects', `${percent(share)} to win`] : null,
    typeof points === 'number' ? ['points expected', fixed(points, 2)] : null,
    simulations ? ['simulations', number(simulations)] : null,
    foul ? ['foul', 'a free guard was taken out'] : null,
  ];
}

function Buttons({replay, isPlaying}) {
  const {shots, head} = replay;
  const toggle = () => (isPlaying ? replay.stop() : replay.play());
  const end = k => html`<button onClick=${() => replay.go(k)}>
    ${capital(endName(shots[k].end, head.ends))}
  </button>`;
  return html`
    <div class="buttons">
    <button onClick=${() => replay.step(-1)}>Back</button>
    <button class="primary" onClick=${toggle}>${isPlaying ? 'Stop' : 'Play'}</button>
    <button onClick=${() => replay.step(1)}>Next</button>
    <a class="button" href=${boardAddress(shots[replay.state.at].board)}>Open on the board</a>
    </div>
    <div class="buttons">${firstShots(shots).map(end)}</div>
  `;
}

/** The shot that is shown, and the ways to the others. names: of the players by team. */
export function ShotCard({replay, names}) {
  const {at, isPlaying, error} = useStore(replay);
  const {shots, head} = replay;
  const profile = useProfile(head.profile);
  return html`<${Card} title="Shot">
    <p role="status">${shotWords(shots[at], names, head.ends)}</p>
    <input
      type="range"
      class="stretch"
      min="0"
      max=${shots.length - 1}
      value=${at}
      aria-label="shot of the game"
      onInput=${({target}) => replay.go(target.valueAsNumber)}
    />
    <${Buttons} replay=${replay} isPlaying=${isPlaying} />
    <${Facts} rows=${factsOf(shots[at], profile, names)} />
    ${error && html`<${ErrorBox} error=${error} />`}
    <p class="dim small">
      <span>Solid: what was called. Dashed: what was thrown. </span>
      <span class="tool">The keys ← and → step.</span>
    </p>
  <//>`;
}
