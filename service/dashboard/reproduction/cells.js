// The figures of a table, and what was printed, as text.
import {DASH, withMinus} from '../lib/format.js';

/** "76.2", "+1.10", "20,000" */
function figure(value, digits = 0, isSigned = false) {
  const text = value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: digits === 0,
    signDisplay: isSigned ? 'always' : 'auto',
  });
  return withMinus(text);
}

/** The value of a cell, or undefined where it is no figure. */
export const valueOf = cell => (typeof cell === 'number' ? cell : cell?.value);

/** {low, high} of the interval of a cell, or null. */
export function intervalOf(cell) {
  if (typeof cell?.low === 'number') return {low: cell.low, high: cell.high};
  if (typeof cell?.plus_minus !== 'number') return null;
  return {low: cell.value - cell.plus_minus, high: cell.value + cell.plus_minus};
}

/** A figure with its interval: "76.2 (73.0 to 79.2)" or "+5.10 ± 0.16". column: {digits,
 * signed}. */
export function figureText(cell, column) {
  const value = valueOf(cell);
  if (value === undefined) return DASH;
  const digits = cell.digits ?? column.digits;
  const text = figure(value, digits, column.signed);
  if (typeof cell.plus_minus === 'number') return `${text} ± ${figure(cell.plus_minus, digits)}`;
  const ends = [cell.low, cell.high].map(end => end !== undefined && figure(end, digits));
  return ends[0] ? `${text} (${ends.join(' to ')})` : text;
}

/** One of the printed figures: "65.1 % after 1.5 million ends". */
export const printedText = one =>
  one.value === undefined ? one.words : `${figureText(one, {})} ${one.words}`;
