// The hand that explains throws ("#/hand", "#/hand?game=7-0-0"): shots that are pasted, dropped or
// of a game.
import {TEAM_NAMES} from '../curling/names.js';
import {isAbort, post} from '../lib/api.js';
import {useProfiles} from '../lib/profiles.js';
import {useAbort} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {Labelled, Select} from '../parts/inputs.js';
import {Empty, ErrorBox, FieldErrors} from '../parts/notes.js';
import {html, useEffect, useState} from '../vendor/preact.js';
import {FoundCard} from './found_card.js';
import {problemOf, readShots, SHOTS_LEAST, shotsOfGame} from './shots.js';

const EXAMPLE = `{"called":{"velocity":{"x":0.13,"y":2.39},"rotation":"ccw"},
 "thrown":{"velocity":{"x":0.134,"y":2.395},"rotation":"ccw"}}
{"called":…,"rest":{"x":0.1,"y":38.2}}`;
const TIMEOUT_MS = 10000;
const SIDES = ['', 'team0', 'team1'];
const SIDE_NAMES = {'': 'both', ...TEAM_NAMES};

const unreadable = ({message}) => ({title: 'These shots cannot be read', detail: message});

/** The work of the page: {state, run(load)}; load() resolves to {profile, shots}. */
function useEstimate() {
  const signal = useAbort();
  const [state, setState] = useState({answer: null, error: null, isBusy: false});
  const run = async load => {
    setState({answer: null, error: null, isBusy: true});
    try {
      const shots = await load(signal);
      const problem = problemOf(shots);
      if (problem) throw {title: 'No hand', detail: problem};
      const query = {...shots, compare: true, throws: true, timeout_ms: TIMEOUT_MS};
      const answer = await post('/v1/skills', query, {signal});
      setState({answer, error: null, isBusy: false});
    } catch (error) {
      if (!isAbort(error)) setState({answer: null, error, isBusy: false});
    }
  };
  return {state, run};
}

/** The text of the shots: typed, pasted, dropped or a chosen file. */
function TextIn({text, onText}) {
  const [isOver, setOver] = useState(false);
  const take = async file => file && onText(await file.text());
  const over = isNow => event => {
    event.preventDefault();
    setOver(isNow);
  };
  const drop = event => {
    over(false)(event);
    take(event.dataTransfer.files[0]);
  };
  return html`<div
    class="shots-in ${isOver ? 'over' : ''}"
    onDragOver=${over(true)}
    onDragLeave=${over(false)}
    onDrop=${drop}
  >
    <textarea
      aria-label="shots"
      placeholder=${EXAMPLE}
      spellcheck=${false}
      value=${text}
      onInput=${({target}) => onText(target.value)}
    ></textarea>
    <div class="fields">
      <${Labelled} label="Or a file">
        <input type="file" onChange=${({target}) => take(target.files[0])} />
      <//>
    </div>
  </div>`;
}

function ShotsCard({profile, isBusy, run}) {
  const [text, setText] = useState('');
  const [own, setOwn] = useState(profile);
  const submit = event => {
    event.preventDefault();
    run(() =>
      readShots(text, own).catch(error => {
        throw unreadable(error);
      }),
    );
  };
  return html`<${Card} title="Shots" isTool>
    <form onSubmit=${submit}>
      <p class="dim small">
        Called shots and what became of them, one a line: thrown, or where the stone came to rest if
        it touched nothing. Paste them, drop a file, or drop the record of a game. At least${' '}
        ${SHOTS_LEAST}; 100 tell a hand to 5 %.
      </p>
      <div class="fields">
        <${Select} label="Profile" values=${useProfiles(own)} value=${own} onSelect=${setOwn} />
      </div>
      <${TextIn} text=${text} onText=${setText} />
      <div class="buttons">
        <button class="primary" disabled=${isBusy || !text.trim()}>Estimate the hand</button>
      </div>
    </form>
  <//>`;
}

function GameCard({game: asked, side: askedSide, isBusy, run}) {
  const [game, setGame] = useState(asked);
  const [side, setSide] = useState(askedSide);
  const take = () => run(signal => shotsOfGame(game.trim(), side, signal));
  useEffect(() => {
    if (asked) take();
  }, []);
  const submit = event => {
    event.preventDefault();
    take();
  };
  return html`<${Card} title="A game of this service" isTool>
    <form onSubmit=${submit}>
      <div class="fields">
        <${Labelled} label="Game">
          <input
            placeholder="7-0-0"
            spellcheck=${false}
            value=${game}
            onInput=${({target}) => setGame(target.value)}
          />
        <//>
        <${Select}
          label="Throws of"
          values=${SIDES}
          names=${SIDE_NAMES}
          value=${side}
          onSelect=${setSide}
        />
      </div>
      <div class="buttons">
        <button disabled=${isBusy || !game.trim()}>Estimate its hand</button>
        <a href="#/games">All games</a>
      </div>
    </form>
  <//>`;
}

/** What the address asks for. */
function askedBy(query) {
  const side = query.get('side');
  return {
    profile: query.get('profile') ?? 'dc3',
    game: query.get('game') ?? '',
    side: SIDES.includes(side) ? side : '',
  };
}

/** The hand, or why there is none. */
function Outcome({answer, error, isBusy}) {
  if (isBusy) return html`<p role="status">Fitting hands …</p>`;
  if (answer) return html`<${FoundCard} answer=${answer} />`;
  if (!error) return html`<${Empty}>The hand appears here.<//>`;
  return html`
    <${ErrorBox} error=${error} />
    <${FieldErrors} errors=${error.errors ?? []} />
  `;
}

export function Page({query}) {
  const {state, run} = useEstimate();
  const {isBusy} = state;
  const {profile, game, side} = askedBy(query);
  return html`<div aria-busy=${String(isBusy)}>
    <h1>Hand</h1>
    <div class="columns">
      <div>
        <${ShotsCard} ...${{profile, isBusy, run}} />
        <${GameCard} ...${{game, side, isBusy, run}} />
      </div>
      <div><${Outcome} ...${state} /></div>
    </div>
  </div>`;
}
