// Curves in words. A name is "what/of/whom"; the kind of their job describes what they show.
import {capital, words} from '../lib/format.js';

const SEATS = {sente: 'without hammer', gote: 'with hammer'};

const partsOf = name => name.split('/');
const partWords = part => SEATS[part] ?? words(part);

/** The description of a curve: {name, title, about, unit, …}, or undefined. */
export const descriptionOf = (name, described) =>
  described.find(one => one.name === partsOf(name)[0]);

/** The name of a curve as words: "win_rate/ai-simple" is "Win rate: ai-simple". described: the
 * curves of the kinds of its runs. */
export function curveWords(name, described = []) {
  const [what, ...of] = partsOf(name);
  const title = descriptionOf(name, described)?.title ?? capital(words(what));
  return [title, of.map(partWords).join(', ')].filter(Boolean).join(': ');
}

/** What tells a curve from the others of its chart: the parts of its name after those that all
 * share. */
export function memberWords(name, names) {
  const all = names.map(partsOf);
  const own = partsOf(name);
  const common = own.findIndex((part, k) => all.some(other => other[k] !== part));
  return own.slice(common).map(partWords).join(', ');
}
