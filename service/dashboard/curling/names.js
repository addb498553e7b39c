// Teams, turns, ends and speeds: their names in the API and for people.
import {counted} from '../lib/format.js';

export const TEAMS = ['team0', 'team1'];
export const TEAM_NAMES = {team0: 'red', team1: 'yellow'};
export const other = team => (team === 'team0' ? 'team1' : 'team0');

export const ROTATIONS = ['cw', 'ccw'];
export const ROTATION_NAMES = {cw: 'clockwise', ccw: 'counter-clockwise'};
export const ROTATION_SIGNS = {cw: '↻', ccw: '↺'};

/** The unit of a profile's speeds; Digital Curling 2 has its own for the strength of a shot. */
export const speedUnit = profile => (profile?.ice.law === 'dc2' ? '(strength of dc2)' : 'm/s');

/** The length of the games of a match, a job or a ladder. */
export function gameLength({ends, extra_ends: extra}) {
  const regular = counted(ends, 'end');
  return extra ? `${regular} and up to ${extra} extra` : regular;
}

/** The name of an end by its number from 0, in games of so many ends. */
export const endName = (end, ends) =>
  end < ends ? `end ${end + 1}` : `extra end ${end - ends + 1}`;
