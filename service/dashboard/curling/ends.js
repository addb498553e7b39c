/** How long the games of a match, a job or a ladder are. */
export function gameLength({ends, extra_ends: extra}) {
  const regular = `${ends} ${ends === 1 ? 'end' : 'ends'}`;
  return extra ? `${regular} and up to ${extra} extra` : regular;
}

/** The name of an end by its number from 0, in games of so many ends. */
export const endName = (end, ends) =>
  end < ends ? `end ${end + 1}` : `extra end ${end - ends + 1}`;
