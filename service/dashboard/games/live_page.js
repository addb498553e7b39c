import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {Scoreboard} from '../curling/scoreboard.js';
import {Sheet} from '../curling/sheet.js';
import {text} from '../lib/api.js';
import {playerName} from '../lib/format.js';
import {useStore} from '../lib/store.js';
import {usePolled} from '../lib/use_poll.js';
import {CheckBox} from '../parts/inputs.js';
import {Empty, ErrorBox} from '../parts/notes.js';
import {html, useEffect, useMemo, useRef, useState} from '../vendor/preact.js';
import {readRecord} from './record.js';
import {Replay} from './replay.js';
import {ShotCard} from './shot_card.js';

const POLL_MS = 3000;

/** The newest game of a job, or as much as there is of the one that is played; null before there is
 * one. */
async function loadNewest(job, signal) {
  const headers = {Accept: 'application/x-ndjson'};
  try {
    const lines = await text(`/v1/jobs/${job}/game?playing=true`, {signal, headers});
    return readRecord(lines.trim().split('\n').map(JSON.parse));
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** Shows a game: a whole one from its first shot, one that is played from the newest. onEnd() is
 * called when the last shot of a whole game has been shown. */
function useShow(record, onEnd) {
  const replay = useMemo(() => new Replay(record), []);
  const latest = useRef(record);
  latest.current = record;
  const tell = () => {
    const {head, shots} = latest.current;
    if (!head.playing && replay.state.at === shots.length - 1) onEnd();
  };
  useEffect(() => {
    const first = record.head.playing ? record.shots.length - 1 : 0;
    replay
      .go(first)
      .then(() => replay.play())
      .then(tell);
    return () => replay.leave();
  }, []);
  useEffect(() => {
    replay.follow(record.shots).then(tell);
  }, [record]);
  return replay;
}

/** A game that plays by itself. */
function Shown({record, onEnd}) {
  const replay = useShow(record, onEnd);
  const {stones, at} = useStore(replay);
  const {head} = record;
  const {shots} = replay;
  const names = {team0: playerName(head.throws_first), team1: playerName(head.throws_last)};
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

/** A game that was played when it was last asked for, and has ended since. */
const ended = ({head, ...rest}) => ({...rest, head: {...head, playing: false}});

/** Whether a record says more about the game that is shown. */
const saysMore = (newest, {head, shots}) =>
  newest.shots.length > shots.length || newest.head.playing !== head.playing;

const newsWords = (newest, isNew) => {
  if (isNew) return 'There is a newer game.';
  return newest.head.playing ? 'This game is being played.' : 'This is the newest game.';
};

/** The game to show after the one that is shown. isFree: another one may begin. */
function nextShown(newest, shown, isFree) {
  if (!newest || !shown) return newest ?? shown;
  if (newest.head.id === shown.head.id) return saysMore(newest, shown) ? newest : shown;
  if (shown.head.playing) return ended(shown);
  return isFree ? newest : shown;
}

/** Which game is shown: the newest one, once the one before has been shown. */
function useNewest(newest) {
  const [shown, setShown] = useState(null);
  const [isOver, setOver] = useState(true);
  const [follows, setFollows] = useState(true);
  const idOf = record => record?.head.id;
  useEffect(() => {
    const next = nextShown(newest, shown, isOver && follows);
    if (next === shown) return;
    setShown(next);
    if (idOf(next) !== idOf(shown)) setOver(false);
  }, [newest, shown, isOver, follows]);
  const isNew = Boolean(newest) && idOf(newest) !== idOf(shown);
  return {shown, isNew, follows, setFollows, tellOver: () => setOver(true)};
}

/** The games of a running job, one after the other: when one has been shown, the newest follows.
 * One whose shots are told one by one is shown as it is played. */
export function LivePage({job}) {
  const {value: newest, error} = usePolled(signal => loadNewest(job, signal), POLL_MS);
  const {shown, isNew, follows, setFollows, tellOver} = useNewest(newest);
  return html`
    <h1>Games of job ${job}, live</h1>
    <div class="toolbar">
      <label>
        <${CheckBox} isOn=${follows} onToggle=${setFollows} /> go on with the newest game
      </label>
      <span class="dim" role="status">${shown && newest && newsWords(newest, isNew)}</span>
      <a href="#/job/${job}">job ${job}</a>
    </div>
    ${error && html`<${ErrorBox} error=${error} />`}
    ${
      shown
        ? html`<${Shown} key=${shown.head.id} record=${shown} onEnd=${tellOver} />`
        : html`<${Empty}>The first game appears here by itself.<//>`
    }
  `;
}
