import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {Sheet} from '../curling/sheet.js';
import {text} from '../lib/api.js';
import {useStore} from '../lib/store.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {LoadedPage} from '../parts/notes.js';
import {html, useEffect, useMemo} from '../vendor/preact.js';
import {readRecord} from './record.js';
import {Replay} from './replay.js';
import {ShotCard} from './shot_card.js';
import {ValueGraph} from './value_graph.js';

const KEYS = {ArrowLeft: -1, ArrowRight: 1};

/** The arrow keys step, except within a field. */
function useKeys(replay) {
  useEffect(() => {
    const step = event => {
      if (event.target.closest('input, select, textarea') || !KEYS[event.key]) return;
      replay.step(KEYS[event.key]);
      event.preventDefault();
    };
    document.addEventListener('keydown', step);
    return () => document.removeEventListener('keydown', step);
  }, [replay]);
}

const Players = ({names, match}) => html`<p>
  ${TEAMS.map(
    team => html`<span class="key ${team}"></span>${`${names[team]} (${TEAM_NAMES[team]})  `}`,
  )}
  <a href="#/games/${match}">all games of the match</a>
</p>`;

function Game({id, record}) {
  const replay = useMemo(() => new Replay(record), [record]);
  const {stones} = useStore(replay);
  const {head, shots} = record;
  const names = {team0: head.throws_first, team1: head.throws_last};
  useKeys(replay);
  useEffect(() => {
    replay.go(0);
    return () => replay.leave();
  }, [replay]);
  return html`
    <h1>Game ${id}</h1>
    <${Players} names=${names} match=${head.match} />
    <div class="board">
      <div class="ice"><${Sheet} stones=${stones} marks=${replay.marks} /></div>
      <div>
        <${ShotCard} replay=${replay} names=${names} />
        <${Card} title="Win probability of red">
          <${ValueGraph} shots=${shots} replay=${replay} />
        <//>
      </div>
    </div>
  `;
}

/** A game shot by shot: the called shot and the thrown one. */
export function GamePage({id}) {
  const headers = {Accept: 'application/x-ndjson'};
  const loaded = useLoaded(
    async signal => {
      const lines = await text(`/v1/games/${encodeURIComponent(id)}`, {signal, headers});
      return readRecord(lines);
    },
    [id],
  );
  return html`<${LoadedPage} title="Games" loaded=${loaded}>
    ${record => html`<${Game} id=${id} record=${record} />`}
  <//>`;
}
