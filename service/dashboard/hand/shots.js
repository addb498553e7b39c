// Lists of called and thrown shots: pasted, dropped, or out of the record of a game.
import {readRecord, shotOf} from '../games/record.js';
import {text as getText} from '../lib/api.js';
import {loadProfile} from '../lib/profiles.js';

export const SHOTS_LEAST = 5;
export const SHOTS_MOST = 2000;

/** The lines of a text as JSON; throws with the number of the line that is none. */
function readLines(text) {
  const lines = text.split('\n').map((line, k) => ({line: line.trim(), k}));
  return lines
    .filter(({line}) => line)
    .map(({line, k}) => {
      try {
        return JSON.parse(line);
      } catch (error) {
        throw new Error(`Line ${k + 1} cannot be read: ${error.message}`);
      }
    });
}

/** A text as one document, or line by line. */
function readDocuments(text) {
  try {
    return [JSON.parse(text)];
  } catch {
    return readLines(text);
  }
}

const isRecord = ([head, shot]) => Boolean(head?.profile && (shot?.executed || shot?.intended));

/** The throws of a game, those of both sides or of one. */
async function ofRecord(lines, side) {
  const {head, shots} = readRecord(lines);
  const profile = await loadProfile(head.profile);
  const own = shots.filter(shot => shot.intended && shot.executed && (!side || shot.side === side));
  return {
    profile: head.profile,
    shots: own.map(({intended, executed}) => ({
      called: shotOf(intended, profile),
      thrown: shotOf(executed, profile),
    })),
  };
}

/** {profile, shots} of a text: a question of POST /v1/skills, a list of shots, one shot a line, or
 * the record of a game. Throws where it is none of these. */
export async function readShots(text, profile) {
  const documents = readDocuments(text);
  const [first] = documents;
  if (isRecord(documents)) return ofRecord(documents);
  if (first?.shots) return {profile: first.profile ?? profile, shots: first.shots};
  const shots = Array.isArray(first) ? first : documents;
  if (!shots.every(shot => shot?.called && (shot.thrown || shot.rest)))
    throw new Error('Each shot needs "called", and "thrown" or "rest".');
  return {profile, shots};
}

/** The throws of a game of the service. side: team0, team1, or '' for both. */
export async function shotsOfGame(id, side, signal) {
  const headers = {Accept: 'application/x-ndjson'};
  const lines = await getText(`/v1/games/${encodeURIComponent(id)}`, {signal, headers});
  return ofRecord(lines.trim().split('\n').map(JSON.parse), side);
}

/** Where the stone of a shot is a place, or another spin was thrown, the service says it. */
export function problemOf({shots}) {
  if (shots.length < SHOTS_LEAST)
    return `These are ${shots.length} shots; it takes at least ${SHOTS_LEAST}.`;
  if (shots.length > SHOTS_MOST)
    return `These are ${shots.length} shots; at most ${SHOTS_MOST} are taken.`;
  return '';
}
