// What clients may rely on, as lines of text: operations, who may ask, parameters, members, their
// types, values and bounds. Two contracts can be compared line by line.
import {readFileSync} from 'node:fs';
import YAML from 'yaml';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Bounds that a value has to keep; a smaller or larger one narrows. */
const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];
const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];
const SCOPES = ['read', 'query', 'train', 'work', 'admin'];
const READERS = ['train', 'admin']; // include read

class Reader {
  constructor(document) {
    this.document = document;
    this.lines = new Set();
    this.seen = new Set();
  }

  resolve(thing) {
    while (thing?.$ref) {
      const steps = thing.$ref.replace(/^#\//, '').split('/');
      thing = steps.reduce((place, step) => place[step.replaceAll('~1', '/')], this.document);
    }
    return thing;
  }

  add(...lines) {
    lines.forEach(line => this.lines.add(line));
  }

  /** The promises of a schema. way: "takes" for what clients send, "gives" for what they get. */
  schema(schema, way, place) {
    if (!schema || typeof schema !== 'object') return;
    if (schema.$ref) {
      this.#named(schema, way, place);
      return;
    }
    this.add(...valuesOf(schema).map(value => `${place} may be ${value}`));
    if ('default' in schema) this.add(`${place} is ${JSON.stringify(schema.default)} by default`);
    const bounds = way === 'takes' ? [...LEAST, ...MOST].filter(bound => bound in schema) : [];
    this.add(...bounds.map(bound => `${place} ${bound} ${schema[bound]}`));
    this.#members(schema, way, place);
    this.schema(schema.items, way, `${place}/-`);
    this.schema(schema.additionalProperties, way, `${place}/*`);
    for (const list of ['oneOf', 'anyOf', 'allOf'])
      for (const part of schema[list] ?? []) this.schema(part, way, place);
  }

  /** A schema with a name: its promises stand under that, once. */
  #named(schema, way, place) {
    const name = schema.$ref.split('/').at(-1);
    const key = `${way} ${name}`;
    this.add(`${place} is ${name}`);
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.schema(this.resolve(schema), way, key);
  }

  #members({properties = {}, required = []}, way, place) {
    for (const [name, member] of Object.entries(properties)) {
      const inside = `${place}/${name}`;
      const isNeeded = required.includes(name);
      this.add(inside);
      if (way === 'takes' && !isNeeded) this.add(`${inside} may be left out`);
      if (way === 'gives' && isNeeded) this.add(`${inside} is always there`);
      this.schema(member, way, inside);
    }
  }

  operation(name, {security, parameters = [], requestBody, responses}) {
    this.add(name, ...scopesOf(security).map(scope => `${name} for ${scope}`));
    for (const parameter of parameters.map(one => this.resolve(one)))
      this.#input(`${name} ${parameter.in} ${parameter.name}`, parameter, [parameter]);
    if (requestBody) {
      const body = this.resolve(requestBody);
      this.add(...Object.keys(body.content).map(type => `${name} takes ${type}`));
      this.#input(`${name} body`, body, Object.values(body.content));
    }
    for (const [status, response] of Object.entries(responses))
      if (/^2/.test(status)) this.#output(`${name} ${status}`, this.resolve(response));
  }

  #input(place, {required}, parts) {
    this.add(place);
    if (!required) this.add(`${place} may be left out`);
    parts.forEach(({schema}) => this.schema(schema, 'takes', place));
  }

  #output(place, {headers = {}, content = {}}) {
    this.add(place, ...Object.keys(headers).map(header => `${place} header ${header}`));
    for (const [type, {schema}] of Object.entries(content)) {
      this.add(`${place} gives ${type}`);
      this.schema(schema, 'gives', place);
    }
  }
}

/** The types and the values of a schema, as JSON. */
const valuesOf = schema => [
  ...[schema.type].flat().filter(Boolean),
  ...[...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])].map(value =>
    JSON.stringify(value),
  ),
];

/** The scopes of which one is enough. */
function scopesOf(security = []) {
  const asked = security.map(({bearer}) => bearer);
  const isOpen = security.length === 0 || asked.some(list => list.length === 0);
  const lets = scope =>
    asked.some(([one]) => one === scope || (one === 'read' && READERS.includes(scope)));
  return SCOPES.filter(scope => isOpen || lets(scope));
}

/** The promises of a contract, sorted. */
export function promisesOf(path) {
  const document = YAML.parse(readFileSync(path, 'utf8'));
  const reader = new Reader(document);
  for (const [path_, item] of Object.entries(document.paths))
    for (const method of METHODS)
      if (item[method]) reader.operation(`${method.toUpperCase()} ${path_}`, item[method]);
  return [...reader.lines].sort();
}

/** A bound as {place, name, value}, or null. */
export function boundOf(line) {
  const [, place, name, value] = line.match(/^(.*) (\w+) (-?[\d.e+]+)$/) ?? [];
  return [...LEAST, ...MOST].includes(name) ? {place, name, value: Number(value)} : null;
}

/** Whether a bound is as wide as an earlier one. */
export const isWide = (name, now, before) => (LEAST.includes(name) ? now <= before : now >= before);
