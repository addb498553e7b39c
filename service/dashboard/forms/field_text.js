// What stands in a field, and the value that it means.
import {hasNumbers, inputOf} from './schema.js';

/** What is not a number goes to the service as it is, which says so. */
const asNumber = text => (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text);

function listFrom(text, schema) {
  const isNumbers = hasNumbers(schema);
  const items = text.split(isNumbers ? /[\s,]+/ : '\n').map(item => item.trim());
  const list = items.filter(Boolean).map(item => (isNumbers ? asNumber(item) : item));
  return list.length || schema.minItems === 0 ? list : undefined;
}

function scalarFrom(text, schema) {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return hasNumbers(schema) ? asNumber(trimmed) : trimmed;
}

/** What stands in a field at first; `given`: a value to begin with, or undefined. A field of text
 * shows its default behind the text instead. */
export function initialText(schema, given) {
  const value = given ?? schema.default;
  switch (inputOf(schema)) {
    case 'check':
      return value === true;
    case 'list':
      return (value ?? []).join(hasNumbers(schema) ? ', ' : '\n');
    case 'choice':
      return `${value ?? ''}`;
    default:
      return `${given ?? ''}`;
  }
}

/** The value of a field, or undefined where nothing is said. */
export function valueOf(text, schema) {
  switch (inputOf(schema)) {
    case 'check':
      return text;
    case 'list':
      return listFrom(text, schema);
    case 'choice':
      return schema.enum.find(one => `${one}` === text);
    default:
      return scalarFrom(text, schema);
  }
}
