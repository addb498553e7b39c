// Who takes how many of the points from whom, over all matches.
const keyOf = (a, b) => JSON.stringify([a, b]);
const isPlayed = match => typeof match.result?.win_percent === 'number' && match.pairs > 0;

/** {names: Map of the names of players, of(a, b): {won, pairs, matches} or undefined}; won counts
 * pairs. The rated players come first. */
export function sharesOf(items, matches) {
  const names = new Map(items.map(({player, name}) => [player, name]));
  const sums = new Map();
  const add = (a, b, share, match) => {
    const sum = sums.get(keyOf(a, b)) ?? {won: 0, pairs: 0, matches: []};
    sum.won += share * match.pairs;
    sum.pairs += match.pairs;
    sum.matches.push(match);
    sums.set(keyOf(a, b), sum);
  };
  for (const match of matches.filter(isPlayed)) {
    const {a, b} = match;
    const share = match.result.win_percent / 100;
    names.set(a, match.a_name).set(b, match.b_name);
    add(a, b, share, match);
    if (a !== b) add(b, a, 1 - share, match);
  }
  return {names, count: sums.size, of: (a, b) => sums.get(keyOf(a, b))};
}
