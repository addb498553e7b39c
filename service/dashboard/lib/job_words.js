// The subject of a job in a line.
import {gameLength} from '../curling/names.js';
import {counted, playerName, shortId} from './format.js';

const players = spec => playerName(spec.players?.join(', '));
const ends = spec => (spec.ends ? `, ${gameLength(spec)}` : '');

// What a training counts, if not ends.
const STEPS = {gpi: 'network', 'policy-value': 'round', value: 'stage', evolve: 'generation'};

/** The word for a step of a training. */
export const stepWord = spec => STEPS[spec?.algorithm] ?? 'end';

const trainingParts = spec => [
  spec.algorithm,
  spec.reward,
  spec.profile,
  spec.iterations && counted(spec.iterations, stepWord(spec)),
  spec.seeds?.length > 1 && `${spec.seeds.length} seeds`,
  spec.from && `from ${shortId(spec.from.run)}`,
];

const WORDS = {
  match: spec =>
    `${playerName(spec.a)} against ${playerName(spec.b)} ` +
    `(${spec.profile}, ${counted(spec.pairs, 'pair')}${ends(spec)})`,
  tournament: spec =>
    `${players(spec)} (${spec.profile}, ${counted(spec.pairs, 'pair')} each${ends(spec)})`,
  exploitability: spec =>
    `of ${playerName(spec.player)} (${spec.profile}, ${counted(spec.ends, 'end')})`,
  diagnose: spec => `this machine, ${spec.seconds} s (${spec.profile})`,
  review: spec => (spec.game ? `of game ${spec.game}` : 'of a game'),
  rate: spec => `of all matches (${spec.profile}${ends(spec)})`,
  train: spec => trainingParts(spec).filter(Boolean).join(', '),
};

/** The words of other kinds: the short members of their specs. */
function otherWords(spec) {
  const isShort = ([, value]) => ['string', 'number'].includes(typeof value);
  return Object.entries(spec)
    .filter(isShort)
    .slice(0, 3)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

export function jobWords(kind, spec) {
  if (!spec) return kind;
  return Object.hasOwn(WORDS, kind) ? WORDS[kind](spec) : otherWords(spec);
}
