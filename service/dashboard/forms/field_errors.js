/** The field at a pointer, or the nearest one around it. */
function fieldOf(fields, pointer) {
  const holds = one => pointer === one.pointer || pointer.startsWith(`${one.pointer}/`);
  return fields.filter(holds).sort((a, b) => b.pointer.length - a.pointer.length)[0];
}

/** Sorts the errors of the service by field: {messages: Map by pointer, left: [errors without a
 * field]}. isQuiet(field): a missing value is not yet an error. */
export function giveErrors(errors, fields, isQuiet) {
  const messages = new Map();
  const left = [];
  for (const error of errors) {
    const field = fieldOf(fields, error.pointer);
    if (!field) left.push(error);
    else if (error.code !== 'missing' || !isQuiet(field))
      messages.set(field.pointer, error.message);
  }
  return {messages, left};
}
