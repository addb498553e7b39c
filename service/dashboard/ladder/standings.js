import {get, query} from '../lib/api.js';

const MATCHES_MAX = 2000;
const PAGE = 500;
const WEAKNESSES = 50;
// The fields of a match that the page needs; the whole result is long.
const FIELDS = [
  ...['id', 'a', 'b', 'a_name', 'b_name', 'ends', 'extra_ends', 'pairs', 'at'],
  ...['result.win_percent', 'result.interval_percent'],
  ...['result.a.with_first_hammer', 'result.a.without_first_hammer'],
].join();

async function loadMatches(profile, signal) {
  const list = [];
  let cursor = null;
  do {
    const asked = query({profile, cursor, limit: PAGE, fields: FIELDS});
    const part = await get(`/v1/matches${asked}`, {signal});
    list.push(...part.items);
    cursor = part.next_cursor;
  } while (cursor && list.length < MATCHES_MAX);
  return list;
}

/** The standings of a profile for games of a length {ends, extra_ends}: {ratings, matches (of all
 * lengths), weaknesses}. */
export async function loadStandings(profile, length, signal) {
  const [ratings, matches, weaknesses] = await Promise.all([
    get(`/v1/ratings${query({profile, ...length})}`, {signal}),
    loadMatches(profile, signal),
    get(`/v1/exploitability${query({profile, limit: WEAKNESSES})}`, {signal}),
  ]);
  return {ratings, matches, weaknesses: weaknesses.items};
}
