/** The field that a pointer is about: itself, or the nearest one that holds it. */
function fieldOf(fields, pointer) {
  const holds = one => pointer === one.pointer || pointer.startsWith(`${one.pointer}/`);
  return fields.filter(holds).sort((a, b) => b.pointer.length - a.pointer.length)[0];
}

/** Gives the errors of the service to the fields: {messages: Map by pointer, left: [those without a
 * field]}. isQuiet(field): it is not yet told that it is missing. */
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
