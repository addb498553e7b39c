// Values by schema, and changes of them. They need not be valid: the schema judges them afterwards.

/** Numbers that depend on the seed alone. */
export class Dice {
  constructor(seed) {
    this.state = seed >>> 0;
  }
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  }
  below = count => Math.floor(this.next() * count);
  one = list => list[this.below(list.length)];
  chance = share => this.next() < share;
}

/** A number with a spelling of its own in JSON, such as 5.0. */
export class Spelt {
  constructor(value, spelling) {
    this.value = value;
    this.text = spelling;
  }
}

export const plain = value => {
  if (value instanceof Spelt) return value.value;
  if (Array.isArray(value)) return value.map(plain);
  if (!value || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
};

export function write(value) {
  if (value instanceof Spelt) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!value || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${write(member)}`,
  );
  return `{${members.join(',')}}`;
}

const SAFE = Number.MAX_SAFE_INTEGER;
const whole = schema => [schema.type].flat().includes('integer');
/** The nearest other double, or whole number. */
const step = (schema, x) =>
  whole(schema) ? Math.max(1, Math.abs(x) * 2 ** -52) : Math.abs(x) * 2 ** -50 || 1e-9;
/** A limit beyond 2^53 is no double: the nearest one inside is. */
const inside = (schema, x) => (Math.abs(x) > SAFE ? x - 2 * step(schema, x) : x);

function edges(schema) {
  const {minimum, maximum} = schema;
  const found = [0, 1, 2, 3, 7];
  for (const limit of [minimum, maximum])
    if (limit !== undefined) {
      const by = step(schema, limit) * (Math.abs(limit) > SAFE ? 4 : 1);
      found.push(inside(schema, limit), limit - by, limit + by);
    }
  return found;
}
const fits = (schema, x) =>
  !(x < schema.minimum) && !(x > schema.maximum) && Math.abs(x) !== 2 ** 63;

const letters = [
  'a',
  'b',
  'z',
  '0',
  '9',
  '-',
  '_',
  '.',
  'Z',
  ' ',
  '"',
  '\\',
  '/',
  'é',
  '投',
  '🥌',
  '\t',
];
function text(schema, dice) {
  const most = schema.maxLength ?? 40;
  const least = schema.minLength ?? 0;
  const length = dice.one([least, least + 1, 5, Math.min(most, 30), most]);
  const from = schema.pattern || dice.chance(0.7) ? ['a', 'b', '0', '7'] : letters;
  let found = '';
  while ([...found].length < length) found += dice.one(from);
  return patterned(schema, found, dice);
}
function patterned(schema, found, dice) {
  const counted = schema.pattern?.match(/^\^\[0-9a-f\]\{(\d+)\}\$$/);
  if (counted) return 'a1'.repeat(Number(counted[1]) / 2);
  if (!schema.pattern || new RegExp(schema.pattern, 'u').test(found)) return found;
  return dice.one([schema.example ?? 'a', 'a', '1']);
}

/** Schemas that may describe this place, whatever their conditions say. */
function branches(contract, schema) {
  const found = [];
  const visit = branch => {
    const at = contract.resolve(branch);
    if (!at || at === true) return;
    found.push(at);
    for (const key of ['allOf', 'anyOf', 'oneOf']) at[key]?.forEach(visit);
    for (const key of ['then', 'else']) if (at[key]) visit(at[key]);
  };
  visit(schema);
  return found;
}
function below(contract, schemas, key) {
  return schemas.flatMap(place => {
    const at =
      typeof key === 'number'
        ? place.items
        : (place.properties?.[key] ?? place.additionalProperties);
    return at && at !== true ? branches(contract, at) : [];
  });
}

/** Makes a value of a schema. `hints` gives values where a schema cannot say what is meant. */
export class Maker {
  constructor(contract, dice, hints) {
    Object.assign(this, {contract, dice, hints});
  }

  make(schema, key = '', depth = 0) {
    const at = this.contract.resolve(schema);
    const hint = this.hints(key, at, this.dice);
    return hint ?? this.#bySchema(at === true ? {type: 'integer'} : at, key, depth);
  }

  #bySchema(schema, key, depth) {
    const fixed = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
    if (fixed) return this.dice.one(fixed);
    const either = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf);
    if (either) return this.make(this.dice.one(either), key, depth);
    const type = this.dice.one([schema.type ?? 'string'].flat());
    return this[type](schema, key, depth);
  }

  null = () => null;
  boolean = () => this.dice.chance(0.5);
  string = schema => text(schema, this.dice);
  integer(schema) {
    const found = this.dice.one(edges(schema).filter(x => fits(schema, x) && Number.isInteger(x)));
    if (found === undefined) return schema.default ?? schema.minimum ?? 0;
    return this.dice.chance(0.1) && Math.abs(found) < SAFE ? new Spelt(found, `${found}.0`) : found;
  }
  number(schema) {
    const {minimum = -100, maximum = 100} = schema;
    const somewhere = minimum + this.dice.next() * (maximum - minimum);
    return this.dice.one([...edges(schema).filter(x => fits(schema, x)), somewhere]);
  }
  array(schema, key, depth) {
    const least = schema.minItems ?? 0;
    const most = Math.min(schema.maxItems ?? 4, least + 3);
    const found = new Map();
    const count = least + this.dice.below(most - least + 1);
    for (let k = 0; k < 20 * count && found.size < count; k++) {
      const item = this.make(schema.items, key, depth + 1);
      found.set(schema.uniqueItems ? write(item) : k, item);
    }
    return [...found.values()];
  }
  object(schema, key, depth) {
    const {properties = {}, required = [], additionalProperties: others} = schema;
    const share = depth > 3 ? 0.1 : 0.25;
    const some = Object.keys(properties).filter(() => this.dice.chance(share));
    const found = {};
    for (const name of new Set([...required, ...some])) this.#member(schema, found, name, depth);
    if (typeof others === 'object' && this.dice.chance(0.7))
      found.extra = this.make(others, 'extra', depth + 1);
    return found;
  }
  #member(schema, found, name, depth) {
    let at = schema.properties?.[name];
    if (at === true) at = this.#conditional(schema, found, name);
    if (at !== false && at !== undefined) found[name] = this.make(at, name, depth + 1);
  }
  /** The schema that the conditions choose for a member, by the values made so far. */
  #conditional(schema, found, name) {
    for (const part of schema.allOf ?? []) {
      const {if: when, then, ...rest} = this.contract.resolve(part);
      const chosen = then ? then.properties?.[name] : this.#conditional(rest, found, name);
      if (!then && chosen !== undefined) return chosen;
      if (then && chosen !== undefined && this.contract.faults(when, plain(found)).length === 0)
        return chosen;
    }
    return undefined;
  }
}

/** All places in a value: [parent, key, schemas that may describe it]. */
function places(contract, value, schema) {
  const found = [];
  const visit = (parent, schemas) => {
    if (!parent || typeof parent !== 'object' || parent instanceof Spelt) return;
    const keys = Array.isArray(parent) ? parent.map((_, k) => k) : Object.keys(parent);
    for (const key of keys) {
      const inner = below(contract, schemas, key);
      found.push({parent, key, schemas: inner});
      visit(parent[key], inner);
    }
  };
  visit(value, branches(contract, schema));
  return found;
}

// Its value is that of the next double: one of 2^63 would equal the largest whole number.
const tooLong = new Spelt(2 ** 63 + 2048, '9223372036854775808');
const odd = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    1e300,
    -1e300,
    2 ** 53,
    '',
    'x',
    'é'.repeat(70),
    [],
    {},
    [null],
  ],
  ...[{a: 1}, [[]], '\u0000', '\u0001', '1', 'null', ' a', new Spelt(1e18, '1000000000000000000')],
  ...[tooLong, new Spelt(1e30, '1e30'), new Spelt(0, '-0')],
];

/** One change at some place of the value, in place. */
export function change(maker, value, schema) {
  const {contract, dice} = maker;
  const all = places(contract, value, schema);
  const changes = {
    replace: at => (at.parent[at.key] = dice.one(odd)),
    edge: at => {
      const limited = dice.one(
        at.schemas.filter(s => s.minimum !== undefined || s.maximum !== undefined),
      );
      if (limited) at.parent[at.key] = dice.one(edges(limited));
    },
    remake: at =>
      at.schemas.length && (at.parent[at.key] = maker.make(dice.one(at.schemas), at.key)),
    length: at => {
      const {maxLength, minLength} = dice.one(at.schemas) ?? {};
      const length = (maxLength ?? minLength ?? 300) + dice.below(3) - 1;
      at.parent[at.key] = 'a'.repeat(Math.max(0, length));
    },
    remove: at =>
      Array.isArray(at.parent) ? at.parent.splice(at.key, 1) : delete at.parent[at.key],
    repeat: at => Array.isArray(at.parent) && at.parent.push(at.parent[at.key]),
    many: at => {
      if (!Array.isArray(at.parent[at.key])) return;
      const most = at.schemas.find(s => s.maxItems !== undefined)?.maxItems ?? 20;
      while (at.parent[at.key].length <= most) at.parent[at.key].push(at.parent[at.key][0] ?? 1);
    },
    unknown: at =>
      !Array.isArray(at.parent) && (at.parent[dice.one(['x', '', 'id ', 'Seed', '__proto'])] = 1),
    add: at => addMember(maker, at),
  };
  if (all.length === 0) value[dice.one(['x', 'name'])] = dice.one(odd);
  else changes[dice.one(Object.keys(changes))](dice.one(all));
}

/** Adds a member that the schemas of the place know and that is not there. */
function addMember(maker, at) {
  const inner = at.parent[at.key];
  if (!inner || typeof inner !== 'object' || Array.isArray(inner)) return;
  const known = at.schemas.flatMap(schema => Object.entries(schema.properties ?? {}));
  const absent = known.filter(([name, schema]) => !(name in inner) && schema && schema !== true);
  if (absent.length === 0) return;
  const [name, schema] = maker.dice.one(absent);
  inner[name] = maker.make(schema, name);
}
