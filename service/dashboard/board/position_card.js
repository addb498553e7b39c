import {
  emptyBoard,
  newEnd,
  shotsOf,
  withAllScores,
  withNewStone,
  withSetup,
} from '../curling/board.js';
import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {useProfile, useProfiles} from '../lib/profiles.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {CommittedInput, Select} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';
import {KeepPosition} from '../library/keep.js';
import {PasteState} from './paste_state.js';

const ENDS_MOST = 256;
const SETUPS = [
  ['center_house', 'Place both'],
  ['pp_left', 'Power play left'],
  ['pp_right', 'Power play right'],
];

/** The board under another profile; another number of placed stones begins the end again. */
function ofProfile(board, profile) {
  const changed = {...board, profile};
  return shotsOf(changed) === shotsOf(board) ? changed : newEnd(changed);
}

const Count = ({onCount, ...rest}) => html`<${CommittedInput}
  ...${rest}
  type="number"
  min="1"
  onCommit=${(text, count) => Number.isFinite(count) && onCount(count)}
/>`;

/** The points of a team, end by end. */
const Scores = ({label, list, onScores}) => html`<${CommittedInput}
  label=${label}
  inputmode="numeric"
  placeholder="2, 0, 1"
  value=${list.map(score => score ?? 0).join(', ')}
  onCommit=${text => onScores(text.split(/[ ,]+/).filter(Boolean).map(Number))}
/>`;

function Fields({session}) {
  const {board} = useStore(session);
  const {profile, ends: length, end, shot, hammer, scores} = board;
  const profiles = {label: 'Profile', term: 'profile', values: useProfiles(profile)};
  const lengths = {label: 'Ends of the game', max: ENDS_MOST - 1, value: length};
  const ends = {label: 'End', max: ENDS_MOST, value: end + 1};
  const most = shotsOf(board);
  const shots = {
    label: `Next shot (1 to ${most})`,
    max: most,
    value: Math.min(shot, most - 1) + 1,
  };
  const hammers = {label: 'Hammer', term: 'hammer', values: TEAMS, names: TEAM_NAMES};
  const red = {label: 'Score of red, end by end', list: scores.team0};
  const yellow = {label: 'Score of yellow', list: scores.team1};
  const edit = changes => session.edit(changes);
  const setScores = (team, list) =>
    edit(withAllScores({...board, scores: {...scores, [team]: list}}));
  return html`<div class="fields short">
    <${Select} ...${profiles} value=${profile} onSelect=${one => edit(ofProfile(board, one))} />
    <${Count} ...${lengths} onCount=${one => edit(withAllScores({...board, ends: one}))} />
    <${Count} ...${ends} onCount=${one => edit(withAllScores({...board, end: one - 1}))} />
    <${Count} ...${shots} onCount=${one => edit({shot: one - 1})} />
    <${Select} ...${hammers} value=${hammer} onSelect=${one => edit({hammer: one})} />
    <${Scores} ...${red} onScores=${list => setScores('team0', list)} />
    <${Scores} ...${yellow} onScores=${list => setScores('team1', list)} />
  </div>`;
}

/** The setups of mixed doubles, where the profile has some: each begins the end again. The guard
 * lies at the first of its places. */
function Setups({session}) {
  const {board} = useStore(session);
  const setups = useProfile(board.profile)?.setups;
  if (!setups) return null;
  const button = ([setup, words]) => html`<button
    onClick=${() => session.edit(withSetup(board, setup, 0))}
  >
    ${words}
  </button>`;
  return html`<p class="dim small">An end begins with a guard and a stone in the house:</p>
    <div class="buttons">${SETUPS.map(button)}</div>`;
}

/** Adds a stone and gives it the focus, so that the keys move it. */
function addStone(session, team) {
  const added = withNewStone(session.state.board, team);
  if (!added) return;
  session.edit(added.board);
  const name = `${team}/${added.slot}`;
  requestAnimationFrame(() => document.querySelector(`[data-stone="${name}"]`)?.focus());
}

/** The position, as numbers. */
export function PositionCard({session}) {
  const adder = team => html`<button onClick=${() => addStone(session, team)}>
    <span class="key ${team}"></span>${`Add ${TEAM_NAMES[team]}`}
  </button>`;
  const {canUndo, isBusy, board, answer} = useStore(session);
  const shot = answer?.is_final ? answer.candidates[0]?.shot : null;
  const clear = () => {
    const {profile, ends, hammer} = session.state.board;
    session.edit(newEnd({...emptyBoard(profile), ends, hammer}));
  };
  return html`<${Card} title="Position" isTool>
    <${Fields} session=${session} />
    <div class="buttons">
      ${TEAMS.map(adder)}
      <button onClick=${clear}>Clear</button>
      <button disabled=${!canUndo || isBusy} onClick=${() => session.undo()}>Undo</button>
    </div>
    <${Setups} session=${session} />
    <${PasteState} session=${session} />
    <${KeepPosition} board=${board} best=${shot} />
  <//>`;
}
