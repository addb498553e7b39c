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

  /** The promises of a schema. way: "takes" for what clients send, "gives" for what they get. */
  schema(schema, way, place) {
    if (!schema || typeof schema !== 'object') return;
    if (schema.$ref) {
      const name = schema.$ref.split('/').at(-1);
      this.lines.add(`${place} is ${name}`);
      const key = `${way} ${name}`;
      if (this.seen.has(key)) return;
      this.seen.add(key);
      this.schema(this.resolve(schema), way, key);
      return;
    }
    for (const type of [schema.type].flat().filter(Boolean))
      this.lines.add(`${place} may be ${type}`);
    for (const value of schema.enum ?? [])
      this.lines.add(`${place} may be ${JSON.stringify(value)}`);
    if ('const' in schema) this.lines.add(`${place} may be ${JSON.stringify(schema.const)}`);
    if ('default' in schema)
      this.lines.add(`${place} is ${JSON.stringify(schema.default)} by default`);
    if (way === 'takes')
      for (const bound of [...LEAST, ...MOST])
        if (bound in schema) this.lines.add(`${place} ${bound} ${schema[bound]}`);
    const required = schema.required ?? [];
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const inside = `${place}/${name}`;
      this.lines.add(inside);
      if (way === 'takes' && !required.includes(name)) this.lines.add(`${inside} may be left out`);
      if (way === 'gives' && required.includes(name)) this.lines.add(`${inside} is always there`);
      this.schema(member, way, inside);
    }
    this.schema(schema.items, way, `${place}/-`);
    if (typeof schema.additionalProperties === 'object')
      this.schema(schema.additionalProperties, way, `${place}/*`);
    for (const list of ['oneOf', 'anyOf', 'allOf'])
      for (const part of schema[list] ?? []) this.schema(part, way, place);
  }

  operation(name, operation) {
    this.lines.add(name);
    const asked = (operation.security ?? []).map(one => one.bearer ?? []);
    const isOpen = operation.security?.length === 0 || asked.some(list => list.length === 0);
    const lets = scope =>
      isOpen || asked.some(([one]) => one === scope || (one === 'read' && READERS.includes(scope)));
    for (const scope of SCOPES) if (lets(scope)) this.lines.add(`${name} for ${scope}`);
    for (const parameter of (operation.parameters ?? []).map(one => this.resolve(one))) {
      const place = `${name} ${parameter.in} ${parameter.name}`;
      this.lines.add(place);
      if (!parameter.required) this.lines.add(`${place} may be left out`);
      this.schema(parameter.schema, 'takes', place);
    }
    const body = this.resolve(operation.requestBody);
    if (body && !body.required) this.lines.add(`${name} body may be left out`);
    for (const [type, media] of Object.entries(body?.content ?? {})) {
      this.lines.add(`${name} takes ${type}`);
      this.schema(media.schema, 'takes', `${name} body`);
    }
    for (const [status, short] of Object.entries(operation.responses)) {
      if (!/^2/.test(status)) continue;
      this.lines.add(`${name} ${status}`);
      const response = this.resolve(short);
      for (const header of Object.keys(response.headers ?? {}))
        this.lines.add(`${name} ${status} header ${header}`);
      for (const [type, media] of Object.entries(response.content ?? {})) {
        this.lines.add(`${name} ${status} gives ${type}`);
        this.schema(media.schema, 'gives', `${name} ${status}`);
      }
    }
  }
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
