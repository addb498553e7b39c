// Numbers and times as text. A missing value is a dash.
export const DASH = '–';

const isMissing = value => value === null || value === undefined;

/** A figure with a minus sign in place of a hyphen. */
export const withMinus = text => text.replace(/^-/, '−');

/** A figure with so many decimals: "1.80". */
export const fixed = (value, digits) =>
  isMissing(value) ? DASH : withMinus(value.toFixed(digits));

/** "1 pair", "2 pairs" */
export const counted = (count, one, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`;

/** The significant digits that tell a number from its neighbours. */
function digitsOf(size, digits) {
  if (size >= 1000) return 6;
  return Math.max(digits, 1) + (size >= 100 ? 1 : 0);
}

export function number(value, digits = 3) {
  if (typeof value !== 'number') return isMissing(value) ? DASH : String(value);
  if (Number.isInteger(value)) return withMinus(value.toLocaleString('en'));
  const size = Math.abs(value);
  if (size >= 1e9 || (size < 1e-3 && size > 0)) return withMinus(value.toExponential(2));
  const most = digitsOf(size, digits);
  return withMinus(value.toLocaleString('en', {maximumSignificantDigits: most}));
}

const ROUNDING = 1e-9; // a sum that is off by less is exact

/** A share from 0 to 1. What would be rounded to nothing, or to all, says so: "<0.1 %". */
export function percent(share, digits = 1) {
  if (isMissing(share)) return DASH;
  const least = 10 ** -digits;
  const value = 100 * share;
  const isBetween = value > ROUNDING && value < 100 - ROUNDING;
  if (isBetween && value < least / 2) return `<${least.toFixed(digits)} %`;
  if (isBetween && value > 100 - least / 2) return `>${(100 - least).toFixed(digits)} %`;
  return `${value.toFixed(digits)} %`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** "1.5 MiB" */
export function bytes(count) {
  let unit = 0;
  for (; count >= 1024 && unit < UNITS.length - 1; unit++) count /= 1024;
  return `${number(count)} ${UNITS[unit]}`;
}

export function duration(seconds) {
  if (isMissing(seconds)) return DASH;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} d`;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const CLOCK = new Intl.DateTimeFormat('en-GB', {timeStyle: 'medium'});
const DAY = new Intl.DateTimeFormat('en-GB', {dateStyle: 'medium'});

/** A date in the reader's zone, which is named: "24 Nov 2026, 10:33:05 UTC". */
export const moment = time => MOMENT.format(time);
/** Its time of day, or its day, alone. */
export const clock = time => CLOCK.format(time);
export const day = time => DAY.format(time);

/** "low to high"; an end that is null is infinitely far away. */
export function interval(ends, digits) {
  const said = end => (typeof end === 'number' ? fixed(end, digits) : null);
  const [low, high] = (ends ?? []).map(said);
  if (low && high) return `${low} to ${high}`;
  if (low) return `${low} or more`;
  return high ? `${high} or less` : '';
}

/** A mean with its 95 % interval: "4.00 ± 0.20". */
export const meanWithError = (mean, error) =>
  `${fixed(mean, 2)} ± ${(1.96 * (error ?? 0)).toFixed(2)}`;

/** A name of the API as words: "win_percent" is "win percent". */
export const words = name => name.replaceAll('_', ' ');

const FIELDS = {a: 'player a', b: 'player b', sprt: 'SPRT'};

/** The name of a field of the API for people. */
export const fieldWords = name => FIELDS[name] ?? words(name);

export const capital = text => text[0].toUpperCase() + text.slice(1);

/** A player for people: hashes and ids of runs are cut to their first digits. */
export const playerName = text => text?.replace(/[0-9a-f]{32,64}/g, id => `${id.slice(0, 8)}…`);

/** The first digits of an id of a run. */
export const shortId = id => id.slice(0, 8);
