import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {Card} from '../parts/card.js';
import {CheckBox, Select} from '../parts/inputs.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';
import {lossWithError, lossWords, shotName} from './words.js';

const ANY = '';
const ORDERS = {worst: 'the most expensive first', played: 'as played'};

/** Those shots that pass the filters, in order. */
function chosen(shots, {team, kind, order, mistakes}, measure) {
  const passes = shot =>
    (!team || shot.team === team) &&
    (!kind || shot.called.kind === kind) &&
    (!mistakes || shot.mistake);
  const list = shots.filter(passes);
  return order === 'worst' ? list.sort((a, b) => b.call[measure] - a.call[measure]) : list;
}

const columnsOf = (ends, measure, onGo) => [
  {
    head: 'Shot',
    cell: shot => html`<button class="small" onClick=${() => onGo(shot.number)}>
      ${shotName(shot, ends)}
    </button>`,
  },
  {head: 'Side', cell: ({team}) => html`<span class="key ${team}"></span>${TEAM_NAMES[team]}`},
  {head: 'Called', label: 'called', cell: ({called}) => called.kind},
  {head: 'Better', label: 'better', cell: ({best}) => best?.kind},
  {head: 'By the call', isNumber: true, cell: ({call}) => lossWithError(call, measure)},
  {
    ...{head: 'By the throw', isNumber: true},
    cell: ({execution}) => lossWords(execution[measure], measure),
  },
];

/** The shots with filters, at first the mistakes alone; onGo(number) shows one. */
export function ListCard({shots, ends, measure, onGo}) {
  const mistakes = shots.some(({mistake}) => mistake);
  const [filter, setFilter] = useState({team: ANY, kind: ANY, order: 'worst', mistakes});
  const set = name => value => setFilter(now => ({...now, [name]: value}));
  const kinds = [...new Set(shots.map(({called}) => called.kind))].sort();
  return html`<${Card} title="Shots">
    <div class="toolbar">
      <${Select}
        aria-label="order of the shots"
        values=${Object.keys(ORDERS)}
        names=${ORDERS}
        value=${filter.order}
        onSelect=${set('order')}
      />
      <${Select}
        aria-label="side of the shots"
        values=${[ANY, ...TEAMS]}
        names=${{...TEAM_NAMES, [ANY]: 'both sides'}}
        value=${filter.team}
        onSelect=${set('team')}
      />
      <${Select}
        aria-label="kind of the shots"
        values=${[ANY, ...kinds]}
        names=${{[ANY]: 'any call'}}
        value=${filter.kind}
        onSelect=${set('kind')}
      />
      <label>
        <${CheckBox} isOn=${filter.mistakes} onToggle=${set('mistakes')} />
        ${' only mistakes'}
      </label>
    </div>
    <${Table}
      columns=${columnsOf(ends, measure, onGo)}
      items=${chosen(shots, filter, measure)}
      id="number"
      nothing="No shot passes these filters."
      kind="stack"
    />
    <p class="dim small">
      What was lost (−) or gained (+) by the call and by the throw. A mistake costs at least 1 % of
      the game, and more than its interval.
    </p>
  <//>`;
}
