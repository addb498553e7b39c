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
const SHOT_MS = 1000; // while a game goes on

/** The newest game of a job, perhaps in its midst; null before there is one. */
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

/** Shows a whole game from its first shot to its last one, and of one that goes on the newest. */
async function begin(replay) {
  if (!replay.head.whole) return replay.go(replay.shots.length - 1);
  await replay.go(0);
  return replay.play();
}

/** A game that plays by itself; onEnd() is called when its last shot has been shown. */
function Shown({record, onEnd}) {
  const replay = useMemo(() => new Replay(record), []);
  const {stones, at} = useStore(replay);
  const {shots} = replay;
  const {head} = record;
  const names = {team0: playerName(head.throws_first), team1: playerName(head.throws_last)};
  useEffect(() => {
    begin(replay).then(() => replay.state.at === replay.shots.length - 1 && onEnd());
    return () => replay.leave();
  }, []);
  useEffect(() => {
    replay.extend(record.shots);
  }, [record]);
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

function newsWords(isNew, shown) {
  if (isNew && shown) return 'There is a newer game.';
  if (shown && !shown.head.whole) return 'Shots appear as they are thrown.';
  return 'This is the newest game.';
}

/** The games of a running job, one after the other: when one has been shown, the newest follows. A
 * game of a server or of clients is followed shot by shot. */
export function LivePage({job}) {
  const [shown, setShown] = useState(null);
  const ms = shown && !shown.head.whole ? SHOT_MS : POLL_MS;
  const {value: newest, error} = usePolled(signal => loadNewest(job, signal), ms);
  const [isOver, setOver] = useState(true);
  const [follows, setFollows] = useState(true);
  const isNew = Boolean(newest) && newest.head.id !== shown?.head.id;
  const goesOn = Boolean(newest) && !isNew && !shown.head.whole;
  useEffect(() => {
    if (goesOn) setShown(newest);
    if (!isNew || (shown && !(isOver && follows))) return;
    setShown(newest);
    setOver(false);
  }, [newest, isNew, isOver, follows]);
  return html`
    <h1>Games of job ${job}, live</h1>
    <div class="toolbar">
      <label>
        <${CheckBox} isOn=${follows} onToggle=${setFollows} /> go on with the newest game
      </label>
      <span class="dim" role="status">
        ${newsWords(isNew, shown)}
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
