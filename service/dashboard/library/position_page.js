import {Aim} from '../board/throw_card.js';
import {aimAt, takeAim} from '../board/throwing.js';
import {boardAddress} from '../curling/board_address.js';
import {boardFrom, sideToMove} from '../curling/board.js';
import {TEAM_NAMES} from '../curling/names.js';
import {Scoreboard} from '../curling/scoreboard.js';
import {Sheet} from '../curling/sheet.js';
import {ShotName} from '../curling/shot_name.js';
import {get, remove} from '../lib/api.js';
import {percent} from '../lib/format.js';
import {useStore} from '../lib/store.js';
import {useLoaded} from '../lib/use_loaded.js';
import {ActionButtons} from '../parts/action_buttons.js';
import {Card} from '../parts/card.js';
import {ErrorBox, LoadedPage} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {html, useEffect, useMemo, useState} from '../vendor/preact.js';
import {Puzzle, verdictOf} from './puzzle.js';

const UP = {href: '#/library', words: 'To the library'};

const COLUMNS = [
  {
    head: '',
    cell: ({look, name}) => html`<span class="line-key ${look}"></span>${name}`,
  },
  {head: 'Shot', cell: ({call: {kind, shot}}) => html`<${ShotName} kind=${kind} shot=${shot} />`},
  {head: 'Wins', isNumber: true, cell: ({call}) => percent(call.win_probability)},
];

/** What the judge says about the try. */
function Verdict({puzzle, verdict: {best, own}}) {
  const rows = [
    {id: 'best', look: 'better', name: 'best', call: best},
    own && {id: 'own', look: 'called', name: 'yours', call: own},
  ].filter(Boolean);
  const said = own && verdictOf(own);
  return html`
    ${said && html`<p role="status" class="note verdict ${said.tone}"><b>${said.words}</b></p>`}
    <${Table} columns=${COLUMNS} items=${rows} />
    <div class="buttons">
      <button class="primary" onClick=${() => puzzle.again()}>Try again</button>
    </div>
    ${own && html`<p class="dim small">The dots: where 200 throws of yours end.</p>`}
  `;
}

function Try({puzzle}) {
  const {board, verdict, isBusy, error} = useStore(puzzle);
  const side = TEAM_NAMES[sideToMove(board)];
  const throwIt = async () => {
    if (!puzzle.state.shot) await takeAim(puzzle);
    if (puzzle.state.shot) await puzzle.judge(puzzle.state.shot);
  };
  const form = html`
    <p>Find the best shot of ${side}: click on the ice where the stone shall go.</p>
    <${Aim} session=${puzzle} />
    <div class="buttons">
      <button class="primary" disabled=${isBusy} onClick=${throwIt}>Throw</button>
      <button disabled=${isBusy} onClick=${() => puzzle.judge(null)}>Show the best shot</button>
    </div>
  `;
  return html`<${Card} title=${puzzle.position.puzzle ? 'Your shot' : 'As a puzzle'}>
    ${verdict ? html`<${Verdict} puzzle=${puzzle} verdict=${verdict} />` : form}
    ${error && html`<${ErrorBox} error=${error} />`}
  <//>`;
}

const DELETE = [
  {
    name: 'delete',
    label: 'Delete',
    look: 'danger',
    confirm: {question: 'Delete this position?', label: 'Delete it for good', keep: 'Keep it'},
  },
];

/** What is known about it. The cost of a game's call tells nothing about the best one. */
function About({position, board}) {
  const [problem, setProblem] = useState(null);
  const {id, note, tags, cost, review, profile} = position;
  const done = () => {
    location.hash = '#/library';
  };
  return html`<${Card} title="About it">
    ${note && html`<p>${note}</p>`}
    <p>${tags.map(tag => html`<a class="tag" href="#/library?tag=${tag}">${tag}</a> `)}</p>
    <p class="dim small">
      ${profile}
      ${cost !== null && `, the call of the game gave away ${percent(cost)}`}
      ${review && html`, <a href="#/review/${review}">review ${review}</a>`}
    </p>
    <div class="buttons">
      <a class="button" href=${boardAddress(board)}>Open on the board</a>
      <a class="button" href="#/library">All positions</a>
      <${ActionButtons}
        actions=${DELETE}
        send=${() => remove(`/v1/library/${id}`)}
        onProblem=${setProblem}
        onDone=${done}
      />
    </div>
    ${problem && html`<${ErrorBox} error=${problem} />`}
  <//>`;
}

function Position({position}) {
  const board = useMemo(() => boardFrom(position, position.profile), [position]);
  const puzzle = useMemo(() => new Puzzle(position, board), [position]);
  const {say, verdict} = useStore(puzzle);
  useEffect(() => () => puzzle.leave(), [puzzle]);
  const point = target => verdict || aimAt(puzzle, {target});
  return html`
    <h1>${position.title}</h1>
    <div class="board">
      <div class="ice">
        <${Scoreboard} board=${board} />
        <p class="say" role="status">${say}</p>
        <${Sheet} stones=${board.stones} marks=${puzzle.marks} onPoint=${point} />
      </div>
      <div>
        <${Try} puzzle=${puzzle} />
        <${About} position=${position} board=${board} />
      </div>
    </div>
  `;
}

/** A position: to be solved, or opened. */
export function PositionPage({id}) {
  const loaded = useLoaded(signal => get(`/v1/library/${encodeURIComponent(id)}`, {signal}), [id]);
  return html`<${LoadedPage} title="Library" up=${UP} loaded=${loaded}>
    ${position => html`<${Position} position=${position} />`}
  <//>`;
}
