// The ladder: ratings with their intervals, results between pairs of players, and exploitability.
import {gameLength} from '../curling/names.js';
import {useProfiles} from '../lib/profiles.js';
import {usePolled} from '../lib/use_poll.js';
import {Select} from '../parts/inputs.js';
import {ErrorBox} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';
import {LadderCard} from './ladder_card.js';
import {MatchesCard} from './matches_card.js';
import {MatrixCard} from './matrix_card.js';
import {loadStandings} from './standings.js';
import {WeaknessCard} from './weakness_card.js';

const POLL_MS = 10000;
const ENDS = 2; // the default everywhere

/** "2", or "2/10" for two ends and up to ten extra; part of the address of a ladder. */
const lengthKey = ({ends, extra_ends: extra}) => (extra ? `${ends}/${extra}` : `${ends}`);

/** The distinct lengths {ends, extra_ends} of games, in order. */
function lengthsOf(games) {
  const lengths = new Map(games.map(game => [lengthKey(game), game]));
  return [...lengths.values()].sort((a, b) => a.ends - b.ends || a.extra_ends - b.extra_ends);
}

function goTo(profile, length) {
  location.hash = `#/ladder/${profile}/${length}`;
}

function Choices({profile, shown, lengths}) {
  const profiles = useProfiles(profile);
  const keys = lengths.map(lengthKey);
  const names = Object.fromEntries(lengths.map(one => [lengthKey(one), gameLength(one)]));
  const length = lengthKey(shown);
  return html`<div class="toolbar">
    <${Select}
      label="Profile"
      term="profile"
      values=${profiles}
      value=${profile}
      onSelect=${one => goTo(one, length)}
    />
    <${Select}
      label="Ends"
      values=${keys}
      names=${names}
      value=${length}
      onSelect=${one => goTo(profile, one)}
    />
  </div>`;
}

/** What is known of the players of a profile, in games of a length. */
function Standings({standings, shown}) {
  const [pair, setPair] = useState(null);
  const matches = standings?.matches.filter(match => lengthKey(match) === lengthKey(shown));
  const ratings = standings?.ratings;
  return html`<div class="columns">
    <div>
      <${LadderCard} ratings=${ratings} />
      <${WeaknessCard} items=${standings?.weaknesses} />
    </div>
    <div>
      <${MatrixCard} ratings=${ratings} matches=${matches} onChoose=${setPair} />
      <${MatchesCard} pair=${pair} hidden=${!ratings?.items.length} />
    </div>
  </div>`;
}

export function Page({args}) {
  const profile = args[0] ?? 'dc2';
  const shown = {ends: Number(args[1] ?? ENDS), extra_ends: Number(args[2] ?? 0)};
  const {value: standings, error} = usePolled(
    signal => loadStandings(profile, shown, signal),
    POLL_MS,
  );
  const lengths = lengthsOf([shown, {ends: ENDS, extra_ends: 0}, ...(standings?.matches ?? [])]);
  return html`
    <h1>Ladder</h1>
    <${Choices} profile=${profile} shown=${shown} lengths=${lengths} />
    ${
      error && !standings
        ? html`<${ErrorBox} error=${error} />`
        : html`<${Standings} standings=${standings} shown=${shown} />`
    }
  `;
}
