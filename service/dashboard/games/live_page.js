import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {Scoreboard} from '../curling/scoreboard.js';
import {Sheet} from '../curling/sheet.js';
import {text} from '../lib/api.js';
import {playerName} from '../lib/format.js';
import {useStore} from '../lib/store.js';
import {usePolled} from '../lib/use_poll.js';
import {CheckBox} from '../parts/inputs.js';
import {Empty, ErrorBox} from '../parts/notes.js';
import {html, useEffect, useMemo, useState} from '../vendor/preact.js';
import {readRecord} from './record.js';
import {Replay} from './replay.js';
import {ShotCard} from './shot_card.js';

const POLL_MS = 3000;

/** The newest game of a job; null before there is one. */
async function loadNewest(job, signal) {
  const headers = {Accept: 'application/x-ndjson'};
  try {
    const lines = await text(`/v1/jobs/${job}/game`, {signal, headers});
    return readRecord(lines.trim().split('\n').map(JSON.parse));
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** A game that plays by itself; onEnd() is called when its last shot has been shown. */
function Shown({record, onEnd}) {
  const replay = useMemo(() => new Replay(record), [record]);
  const {stones, at} = useStore(replay);
  const {head, shots} = record;
  const names = {team0: playerName(head.throws_first), team1: playerName(head.throws_last)};
  useEffect(() => {
    replay
      .go(0)
      .then(() => replay.play())
      .then(() => replay.state.at === shots.length - 1 && onEnd());
    return () => replay.leave();
  }, [replay]);
  return html`<div class="board">
    <div class="ice">
      <${Scoreboard} board=${shots[at].board} names=${names} />
      <${Sheet} stones=${stones} marks=${replay.marks} />
    </div>
    <div>
      <p>
        ${TEAMS.map(
          team =>
            html`<span class="key ${team}"></span>${`${names[team]} (${TEAM_NAMES[team]})  `}`,
        )}
      </p>
      <${ShotCard} replay=${replay} names=${names} />
    </div>
  </div>`;
}

/** The games of a running job, one after the other: when one has been shown, the newest follows. */
export function LivePage({job}) {
  const {value: newest, error} = usePolled(signal => loadNewest(job, signal), POLL_MS);
  const [shown, setShown] = useState(null);
  const [isOver, setOver] = useState(true);
  const [follows, setFollows] = useState(true);
  const isNew = Boolean(newest) && newest.head.id !== shown?.head.id;
  useEffect(() => {
    if (!isNew || (shown && !(isOver && follows))) return;
    setShown(newest);
    setOver(false);
  }, [isNew, isOver, follows]);
  return html`
    <h1>Games of job ${job}, live</h1>
    <div class="toolbar">
      <label>
        <${CheckBox} isOn=${follows} onToggle=${setFollows} /> go on with the newest game
      </label>
      <span class="dim" role="status">
        ${isNew && shown ? 'There is a newer game.' : 'This is the newest game.'}
      </span>
      <a href="#/job/${job}">job ${job}</a>
    </div>
    ${error && html`<${ErrorBox} error=${error} />`}
    ${
      shown
        ? html`<${Shown} key=${shown.head.id} record=${shown} onEnd=${() => setOver(true)} />`
        : html`<${Empty}>The first game appears here by itself.<//>`
    }
  `;
}
