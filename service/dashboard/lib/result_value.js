// Values of results, written as the columns of their kind say (api/jobs/job_kinds.h).
import {TEAM_NAMES} from '../curling/names.js';
import {duration, fixed, interval, meanWithError, number, playerName, words} from './format.js';

/** The member of a result with dots in its name: "games.wins". */
const memberOf = (result, name) => name.split('.').reduce((at, part) => at?.[part], result);

const isNumber = value => typeof value === 'number';

/** "win_rate/ai-simple" is "win rate: ai-simple". */
const figureName = name => playerName(name).split('/').map(words).join(': ');

/** The name of an end of the interval of a figure: "win_rate/a" has "win_rate_low/a". */
const endName = (name, end) => name.replace(/^[^/]+/, what => `${what}_${end}`);

/** A figure, with its interval where it has one: "50 (0.3 to 99.7)". */
function figureText(value, name) {
  const ends = ['low', 'high'].map(end => value[endName(name, end)]);
  const said = number(value[name]);
  return ends.every(isNumber) ? `${said} (${ends.map(end => number(end)).join(' to ')})` : said;
}

/** The figures of an object: [{key, name, text}]; ends of intervals go with theirs. */
export function figuresOf(value) {
  const names = Object.keys(value);
  const ends = new Set(names.flatMap(name => ['low', 'high'].map(end => endName(name, end))));
  return names
    .filter(name => !ends.has(name))
    .map(key => ({key, name: figureName(key), text: figureText(value, key)}));
}

/** {"win_rate/a": 3} is "win rate: a 3". */
const figures = value =>
  figuresOf(value)
    .map(({name, text}) => `${name} ${text}`)
    .join(', ');

/** [0.0125, 0.04] is "1.25 to 4.00 %". */
const shares = ends => {
  const inPercent = ends.map(end => (isNumber(end) ? 100 * end : end));
  return `${interval(inPercent, 2)} %`;
};

// Each is null where the value is not of this format.
const FORMATS = {
  text: value => TEAM_NAMES[value] ?? playerName(String(value)),
  number: value => (isNumber(value) ? number(value, 4) : null),
  tenths: value => (isNumber(value) ? fixed(value, 1) : null),
  signed: value => (isNumber(value) ? `${value < 0 ? '' : '+'}${fixed(value, 2)}` : null),
  duration: value => (isNumber(value) ? duration(value) : null),
  interval: value => (Array.isArray(value) ? interval(value, 1) : null),
  mean: value => {
    const mean = value?.points ?? value?.points_per_end;
    return isNumber(mean) ? meanWithError(mean, value.standard_error) : null;
  },
  share: value => (isNumber(value) ? `${fixed(100 * value, 2)} %` : null),
  share_interval: value => (Array.isArray(value) ? shares(value) : null),
  place: value => (isNumber(value) ? number(value + 1) : null),
  figures: value => (typeof value === 'object' ? figures(value) : null),
};

/** The text of a column for a result or a line of it, with its unit; null without a value. */
export function columnText({member, format, unit}, line) {
  const value = memberOf(line, member);
  if (value === undefined || value === null) return null;
  const text = (FORMATS[format] ?? FORMATS.text)(value);
  return text && unit ? `${text} ${unit}` : text;
}

const SEAT = /(?<![\w-])[ab](?![\w-])/g;

/** The label of a figure; "a" and "b" in it are the players of the spec: "random wins". */
export const labelWords = ({label}, spec) =>
  label
    .replace(SEAT, seat => (typeof spec?.[seat] === 'string' ? playerName(spec[seat]) : seat))
    .replace('+-', '±');

/** The lines of a table: the members of the result that are lines, or lists of them. */
export const linesOf = (view, result) =>
  view.rows.flatMap(name => memberOf(result, name) ?? []).filter(Boolean);

export const isTable = view => view.rows.length > 0;

/** Whether a member of a result only repeats the spec. Where the spec has an object of that name,
 * the result may say more in it ("sprt.reading"). */
function isAsked(member, spec) {
  const asked = spec?.[member.split('.')[0]];
  return typeof asked === 'object' && asked !== null
    ? memberOf(spec, member) !== undefined
    : asked !== undefined;
}

/** The columns of a list that are not part of the spec, which stands beside the result. */
export const foundColumns = (view, {spec}) =>
  view.columns.filter(({member}) => !isAsked(member, spec));
