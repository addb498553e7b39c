// The contract as the mutator reads it: its operations with resolved references, and a judge for
// each schema. Nothing about rinkd is written here: a new route is covered as soon as it is
// described.
import Ajv from 'ajv/dist/2020.js';
import {readFileSync} from 'node:fs';
import YAML from 'yaml';

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const formats = {player: true, 'poker-player': true, binary: true};
const ajv = new Ajv({strict: false, allErrors: true, formats});
for (const name of ['uri-reference', 'date-time'])
  ajv.addFormat(name, name === 'date-time' ? text => !isNaN(Date.parse(text)) : true);

export class Contract {
  constructor(path) {
    this.document = YAML.parse(readFileSync(path, 'utf8'));
    this.judges = new Map();
    ajv.addSchema({...this.document, $id: 'contract'});
    this.operations = Object.entries(this.document.paths).flatMap(([at, item]) =>
      methods
        .filter(method => item[method])
        .map(method => this.#operation(at, method, item[method])),
    );
    const anything = this.document.components.responses.Anything.description;
    /** Statuses that any request may be answered with. */
    this.always = new Set([...anything.matchAll(/\b[45]\d\d\b/g)].map(([text]) => Number(text)));
    this.problem = {$ref: '#/components/schemas/Problem'};
  }

  /** Follows references until there is none. */
  resolve(thing) {
    while (thing?.$ref) {
      const {$ref, ...rest} = thing;
      const steps = $ref.replace(/^#\//, '').split('/');
      thing = {...steps.reduce((place, step) => place[step], this.document), ...rest};
    }
    return thing;
  }

  #operation(path, method, item) {
    const parameters = (item.parameters ?? []).map(parameter => this.resolve(parameter));
    const [type, media] = Object.entries(item.requestBody?.content ?? {})[0] ?? [];
    return {
      path,
      method: method.toUpperCase(),
      name: `${method.toUpperCase()} ${path}`,
      parameters,
      body: media && {type, schema: media.schema, example: media.example},
      needsBody: item.requestBody?.required ?? false,
      responses: Object.fromEntries(
        Object.entries(item.responses).map(([status, answer]) => [
          status,
          {content: {}, ...this.resolve(answer)},
        ]),
      ),
    };
  }

  /** Returns what is wrong with the value by the schema, in sentences; empty if nothing is. */
  faults(schema, value) {
    if (!schema) return [];
    let judge = this.judges.get(schema);
    if (!judge) {
      judge = ajv.compile(rebased(schema));
      this.judges.set(schema, judge);
    }
    return judge(value) ? [] : judge.errors.map(error => `${error.instancePath} ${error.message}`);
  }
}

/** A schema of the contract, to be compiled by itself: its references point into the document. */
function rebased(schema) {
  if (Array.isArray(schema)) return schema.map(rebased);
  if (!schema || typeof schema !== 'object') return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string'
        ? [key, `contract${value}`]
        : [key, rebased(value)],
    ),
  );
}
