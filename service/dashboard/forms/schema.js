// The parts of JSON Schema that forms use.

const typesOf = schema => [schema.type].flat();
export const isGroup = schema => typesOf(schema).includes('object') && Boolean(schema.properties);
const isNumeric = schema => ['integer', 'number'].some(type => typesOf(schema).includes(type));
export const hasNumbers = schema => isNumeric(schema.items ?? schema);

/** How a field is filled in: "group", "choice", "check", "list" or "text". */
export function inputOf(schema) {
  if (isGroup(schema)) return 'group';
  if (schema.enum) return 'choice';
  if (typesOf(schema).includes('boolean')) return 'check';
  return typesOf(schema).includes('array') ? 'list' : 'text';
}

/** The names of the fields that others depend on. */
export const choicesOf = schema =>
  (schema.allOf ?? []).flatMap(({if: condition}) => Object.keys(condition.properties));

function holds(condition, values) {
  const fits = ([name, {enum: allowed}]) =>
    values[name] === undefined
      ? !condition.required?.includes(name)
      : allowed.includes(values[name]);
  return Object.entries(condition.properties).every(fits);
}

/** The fields {name: schema} of an object whose choices have these values: the cases ("allOf") that
 * hold add theirs. */
export function fieldsOf(schema, values) {
  const cases = (schema.allOf ?? []).filter(({if: condition}) => holds(condition, values));
  const all = Object.assign({}, schema.properties, ...cases.map(one => one.then.properties));
  // Lists of objects come from programs, not from people.
  const canBeWritten = one => typeof one === 'object' && one.items?.type !== 'object';
  return Object.fromEntries(Object.entries(all).filter(([, one]) => canBeWritten(one)));
}
