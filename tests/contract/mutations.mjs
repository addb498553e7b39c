// Holds the contract against a running daemon: requests made and changed by the schemas of
// api/openapi.yaml, which also judge each of them, and hostile bytes. See mutations.sh.
import {parseArgs} from 'node:util';
import {Contract} from './contract.mjs';
import {Daemon} from './daemon.mjs';
import {file, Known, rules} from './known.mjs';
import {attack, hostile, send} from './raw.mjs';
import {change, Dice, Maker, plain, write} from './values.mjs';

const WAIT_MS = 300000; // far longer than the longest answer takes on a busy machine
const RESTOCK = 500;
const CROWD = 50;
/** Answers that refuse the form of a request, whatever the state of the daemon. */
const REFUSED = new Set([400, 405, 406, 411, 413, 415, 422, 431, 501]);

const {values: options} = parseArgs({
  options: {
    requests: {type: 'string', default: '1000'},
    raw: {type: 'string', default: '300'},
    seed: {type: 'string', default: '1'},
    contract: {type: 'string'},
    only: {type: 'string', default: ''},
    'give-up-ms': {type: 'string'},
  },
});
const giveUpMs = options['give-up-ms'] && Number(options['give-up-ms']);
const nothing = {method: '', target: '', headers: {}, faults: []};
const dice = new Dice(Number(options.seed));
const contract = new Contract(options.contract);
const chosen = contract.operations.filter(at => new RegExp(options.only).test(at.name));
const daemon = new Daemon('data', '--workers', '1');
const known = new Known(daemon, dice);
const maker = new Maker(contract, dice, known.hints);

const findings = new Map();
const tally = {accepted: 0, refused: 0, rules: new Map()};
function finding(why, request, answer) {
  const key = `${request.name}: ${why}`;
  const seen = findings.get(key);
  findings.set(key, (seen ?? 0) + 1);
  if (seen || findings.size > 60) return;
  console.log(`WRONG: ${key}`);
  console.log(`  ${request.method} ${request.target} ${JSON.stringify(request.headers)}`);
  if (request.body) console.log(`  ${request.body.toString().slice(0, 700)}`);
  console.log(`  judged: ${request.faults.slice(0, 3).join('; ') || 'valid'}`);
  console.log(`  ${answer?.status} ${answer?.text.slice(0, 400)}`);
}

// ---- requests ----

/** What a parameter's text means by its schema. */
function typed(schema, text) {
  const types = [contract.resolve(schema).type].flat();
  if (types.includes('integer') && /^-?\d+$/.test(text)) return Number(text);
  if (types.includes('number') && text.trim() && !isNaN(text)) return Number(text);
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}
const oddTexts = [
  '',
  'x',
  '-1',
  '0',
  '1.5',
  '99999999999999999999',
  ' 1',
  '+1',
  '1e3',
  'é',
  '\u0001',
  'a'.repeat(3000),
];

/** Chooses the text of a parameter, and notes what is wrong with it. */
function parameter(request, {name, schema, in: where}, usual) {
  const isOdd = dice.chance(0.15);
  let text = isOdd ? dice.one(oddTexts) : (usual ?? String(plain(maker.make(schema, name))));
  if (where === 'header')
    text = text.replace(/[^ -~]/g, '').trim() || (schema.minLength ? '' : 'x');
  if (where === 'path' && /^\.*$/.test(text)) text = 'dots'; // "." and ".." are steps, no names
  const faults = contract.faults(schema, typed(schema, text));
  request.faults.push(...faults.map(fault => `${where} ${name}: ${fault}`));
  return text;
}

async function pathOf(request, operation) {
  const parts = [];
  for (const part of operation.path.split('/')) {
    const name = part.match(/^\{(.*)\}$/)?.[1];
    if (!name) {
      parts.push(part);
      continue;
    }
    const declared = operation.parameters.find(at => at.in === 'path' && at.name === name);
    const there = await known.arguments(parts.join('/'), name);
    const isLive = there.length > 0 && dice.chance(operation.method === 'DELETE' ? 0.15 : 0.75);
    const text = parameter(request, declared, isLive ? dice.one(there) : undefined);
    request.isLive &&= there.includes(text);
    parts.push(encodeURIComponent(text));
  }
  return parts.join('/');
}

function queryOf(request, operation) {
  const query = new URLSearchParams();
  for (const declared of operation.parameters.filter(at => at.in === 'query')) {
    if (!dice.chance(0.25)) continue;
    query.append(declared.name, parameter(request, declared));
    request.parameters.push(declared.name);
  }
  if (dice.chance(0.05)) {
    query.append(dice.one(['x', 'Limit', 'limit ']), '1');
    request.faults.push('query: unknown parameter');
  }
  return query.size ? `?${query}` : '';
}

const usualHeaders = {
  Prefer: () => dice.one(['wait=0', 'respond-async', 'x', 'wait=abc', 'return=minimal']),
  'If-Match': () => dice.one(['*', '"x"', 'W/"x"']),
  'Last-Event-ID': () => dice.one(['0', '1', '999', 'x']),
};
function headersOf(request, operation) {
  for (const declared of operation.parameters.filter(at => at.in === 'header'))
    if (dice.chance(0.1))
      request.headers[declared.name] = parameter(
        request,
        declared,
        usualHeaders[declared.name]?.(),
      );
}

function jsonOf(request, {body: {schema, example}}, operation) {
  const at = contract.resolve(schema);
  const body = example && dice.chance(0.4) ? structuredClone(example) : maker.make(at);
  known.finish(body);
  const changes = dice.one([0, 0, 1, 1, 1, 2]);
  request.isChanged = changes > 0;
  for (let k = 0; k < changes; k++) change(maker, body, schema);
  known.cheapen(operation, body);
  request.faults.push(...contract.faults(schema, plain(body)));
  return Buffer.from(write(body));
}

function bodyOf(request, operation) {
  if (!operation.body) return;
  if (dice.chance(0.03)) {
    if (operation.needsBody) request.faults.push('no body');
    return;
  }
  request.headers['Content-Type'] = operation.body.type;
  if (operation.body.type === 'application/json')
    request.body = jsonOf(request, operation, operation);
  else {
    const {bytes, isValid} = file(dice, operation);
    request.body = bytes;
    request.isFile = true;
    if (!isValid) request.faults.push('a file that may be none');
  }
  if (dice.chance(0.03)) {
    request.headers['Content-Type'] = 'text/plain';
    request.faults.push('another media type');
  }
}

async function make(operation) {
  const request = {
    name: operation.name,
    method: operation.method,
    headers: {},
    faults: [],
    parameters: [],
    isLive: true,
  };
  request.target = (await pathOf(request, operation)) + queryOf(request, operation);
  headersOf(request, operation);
  bodyOf(request, operation);
  return request;
}

// ---- answers ----

/** Checks status, type and body of an answer against the contract. Returns its value. */
function checkForm(request, operation, answer) {
  const {status} = answer;
  const usual = contract.always.has(status) && status !== 500 && operation.responses.default;
  const described = operation.responses[status] ?? usual;
  if (!answer.headers['x-request-id']) finding('no X-Request-Id', request, answer);
  if (!described) return finding(`status ${status} is not in the contract`, request, answer);
  const [type] = (answer.headers['content-type'] ?? '').split(';');
  const media = described.content[type];
  if (!media && answer.text !== '')
    return finding(`${status} has a body of the type "${type}"`, request, answer);
  return /[/+]json$/.test(type) ? checkBody(media.schema, request, answer) : undefined;
}

function checkBody(schema, request, answer) {
  const {status} = answer;
  const value = parse(answer.text);
  const faults = value === undefined ? ['is not JSON'] : contract.faults(schema, value);
  if (faults.length > 0) finding(`the body of ${status} ${faults[0]}`, request, answer);
  if (status >= 400 && value?.status !== status)
    finding('the problem has another status', request, answer);
  return value;
}
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The rule that a refused request may have broken though the schema accepts it. An answer that
 * names places is excused if each of them has a rule, another one by parameter, text or status. Of
 * several rules for a place, one that excuses more counts. */
function broken(request, answer, value) {
  const here = rules.filter(rule => rule.at.test(request.name));
  here.sort((a, b) => Boolean(b.isUsual) - Boolean(a.isUsual));
  const text = request.target + (request.body ?? '');
  const found = (value?.errors ?? []).map(error =>
    here.find(
      rule =>
        rule.pointer?.test(error.pointer) &&
        (rule.code ?? error.code) === error.code &&
        (rule.text?.test(text) ?? true),
    ),
  );
  if (found.length > 0)
    return found.every(rule => rule) && (found.find(rule => !rule.isUsual) ?? found[0]);
  return here.find(
    rule =>
      request.parameters.includes(rule.parameter) ||
      (!rule.pointer && rule.text?.test(text)) ||
      (rule.status && rule.status === answer.status),
  );
}

function judge(request, operation, answer) {
  const value = checkForm(request, operation, answer);
  const isVerdict = value?.valid === false; // what validates says so with 200
  if (request.faults.length > 0) {
    tally.refused++;
    if (answer.status < 400 && !request.isFile && !isVerdict) finding('accepted', request, answer);
    return;
  }
  tally.accepted++;
  const isMissing = answer.status === 404 && request.isLive;
  if (REFUSED.has(answer.status) || isVerdict || isMissing) excuse(request, answer, value);
}

/** What was made by the schema and not changed may break no rule but those about texts. */
function excuse(request, answer, value) {
  const rule = broken(request, answer, value);
  const isExcused = rule && (request.isChanged !== false || rule.code || rule.text || rule.isUsual);
  if (isExcused) tally.rules.set(rule.why, (tally.rules.get(rule.why) ?? 0) + 1);
  else finding(`refused (${answer.status})`, request, answer);
}

/** Takes back what costs time later. */
async function tidy(request, answer) {
  const {id, state} = parse(answer.text) ?? {};
  if (request.name.startsWith('POST /v1/jobs') && answer.status === 202 && state === 'ready')
    await daemon.post(`/v1/jobs/${id}/cancel`, {});
  if (/^POST .v1.(shots|maps|calls)$/.test(request.name) && answer.status === 202)
    await send(daemon, {method: 'DELETE', target: `/v1/shots/${id}`, headers: {}}, WAIT_MS);
}

async function mutate(count) {
  for (let k = 0; k < count; k++) {
    if (k % RESTOCK === RESTOCK - 1) await known.restock();
    const operation = dice.one(chosen.flatMap(at => (at.body ? [at, at, at, at, at] : [at])));
    const request = await make(operation);
    const answer = await send(daemon, request, WAIT_MS);
    if (!answer) finding('no answer', request);
    else {
      judge(request, operation, answer);
      await tidy(request, answer);
    }
    if (/delete|retention/i.test(request.name)) await known.look();
    if (known.runs.length === 0) await known.restock();
  }
}

/** Many at a time: what is cut off waits for the time limit of the daemon. */
async function attackOften(count) {
  const attackers = Array.from({length: CROWD}, async (_, first) => {
    for (let k = first; k < count; k += CROWD) {
      const wrong = await attack(daemon, hostile(dice), WAIT_MS, giveUpMs);
      if (wrong) finding(wrong.why, {...nothing, name: wrong.name, faults: [wrong.bytes]}, wrong);
    }
  });
  await Promise.all(attackers);
  if ((await fetch(`${daemon.url}/healthz`)).status !== 200)
    throw new Error('the daemon is not healthy');
}

await daemon.start();
await known.prepare();
await mutate(Number(options.requests));
await attackOften(Number(options.raw));
if (daemon.process.exitCode !== null) finding('the daemon ended', {...nothing, name: 'rinkd'});
await daemon.stop();
if (daemon.process.exitCode !== 0)
  finding(`the daemon ended with ${daemon.process.exitCode}`, {...nothing, name: 'rinkd'});
for (const [why, count] of tally.rules) console.log(`${count} refused: ${why}`);
console.log(
  `mutations: ${tally.accepted} valid and ${tally.refused} invalid requests, ` +
    `${options.raw} raw inputs, ` +
    `seed ${options.seed}: ${[...findings.values()].reduce((sum, n) => sum + n, 0)} findings`,
);
process.exit(findings.size === 0 ? 0 : 1);
