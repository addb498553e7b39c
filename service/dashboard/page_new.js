// A new job. The form is made from the JSON Schema of its kind; while it is filled in, the service
// is asked what it would say (dry_run), so mistakes stand at their fields and the estimate is live.
import {get, post} from './api.js';
import {card, duration, empty, errorBox, h, loading, number, properties} from './dom.js';

export async function show(root, page) {
  const {items} = await get('/v1/schemas', {signal: page.signal});
  const kinds = items.map(item => item.kind).filter(kind => kind !== 'shot');
  const players = await get('/v1/players?fields=name,about&limit=500', {signal: page.signal}).then(list => list.items, () => []);
  const wanted = page.args[0] ?? page.query.get('kind');
  const kind = h('select', {id: 'kind', onchange: () => choose(kind.value)}, kinds.map(one => h('option', {value: one, selected: one === wanted}, one)));
  const place = h('div', {}, loading()), verdict = card('What would happen', empty('Fill in the form.')), trouble = h('div', {});
  const submit = h('button', {class: 'primary', type: 'submit'}, 'Start the job');
  const priority = {type: 'integer', minimum: -1000, maximum: 1000, default: 0, description: 'smaller is earlier'};
  let form = null, around = null, timer, turn = 0;

  root.append(h('h1', {}, 'New job'),
    h('datalist', {id: 'players'}, players.map(player => h('option', {value: player.name}, player.about))),
    h('form', {novalidate: true, onsubmit: start, oninput: () => { clearTimeout(timer); timer = setTimeout(check, 350); }}, h('div', {class: 'columns'},
      h('section', {class: 'card'}, h('label', {class: 'small'}, 'Kind ', kind), place, h('div', {class: 'buttons'}, submit), trouble), verdict.element)));
  page.signal.addEventListener('abort', () => clearTimeout(timer));
  if (!kinds.length) {
    place.replaceChildren(empty('This service knows no kinds of jobs.'));
    return;
  }
  await choose(kind.value);

  async function choose(name) {
    const schema = await get(`/v1/schemas/${name}`, {signal: page.signal});
    form = objectField('/spec', schema);
    around = objectField('', {type: 'object', properties: {priority}, required: []});
    place.replaceChildren(schema.description ? h('p', {class: 'dim'}, schema.description) : '', form.node, h('details', {}, h('summary', {}, 'Queue'), around.node));
    trouble.replaceChildren();
    await check();
  }

  function request(more) {
    return {kind: kind.value, spec: form.read(), ...around.read(), ...more};
  }

  /** Errors go to the fields that their pointers name; returns those that found none. */
  function tell(errors, onlyTouched) {
    const fields = [...form.all(), ...around.all()], left = [];
    fields.forEach(field => field.tell(null));
    for (const error of errors) {
      const field = fields.filter(one => error.pointer === one.pointer || error.pointer.startsWith(`${one.pointer}/`)).sort((a, b) => b.pointer.length - a.pointer.length)[0];
      if (!field || !field.input)
        left.push(error);
      else if (!onlyTouched || error.code !== 'missing' || field.touched())
        field.tell(error.message);
    }
    return left;
  }

  async function check() {
    const own = ++turn;
    try {
      const answer = await post('/v1/jobs', request({dry_run: true}), {signal: page.signal});
      if (own !== turn)
        return;
      tell([]);
      verdict.set(h('p', {}, 'It would take ', h('b', {}, answer.estimate_s === null ? 'an unknown time' : `about ${duration(answer.estimate_s)}`), '.'),
        h('h3', {}, 'With all defaults'), properties(answer.spec));
    } catch (error) {
      if (own !== turn || error.name === 'AbortError')
        return;
      if (error.status !== 422) {
        verdict.set(errorBox(error));
        return;
      }
      const left = tell(error.errors ?? [], true), missing = (error.errors ?? []).filter(one => one.code === 'missing').length;
      verdict.set(h('p', {class: 'dim'}, missing ? `${number(missing)} ${missing === 1 ? 'field is' : 'fields are'} still needed.` : 'Some fields are wrong; see there.'),
        left.map(one => h('p', {class: 'field-error'}, `${one.pointer}: ${one.message}`)), error.errors?.length ? null : errorBox(error));
    }
  }

  async function start(event) {
    event.preventDefault();
    submit.disabled = true;
    trouble.replaceChildren();
    try {
      const job = await post('/v1/jobs', request(), {headers: {'Idempotency-Key': crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`}});
      location.hash = `#/job/${job.id}`;
    } catch (error) {
      const left = tell(error.errors ?? []);
      trouble.replaceChildren(errorBox(error), ...left.map(one => h('p', {class: 'field-error'}, `${one.pointer}: ${one.message}`)));
      form.node.querySelector('[aria-invalid=true]')?.focus();
    }
    submit.disabled = false;
  }
}

// ---- fields: {pointer, node, input, read(): value or undefined, tell(message), touched(), all()} ----

const isPlayer = name => ['a', 'b', 'player'].includes(name);
const words = name => name.replaceAll('_', ' ');

function objectField(pointer, schema) {
  const required = schema.required ?? [];
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, makeField(`${pointer}/${name}`, name, one, required.includes(name))]);
  return {
    pointer, node: h('div', {class: 'fields'}, fields.map(([, field]) => field.node)),
    all: () => fields.flatMap(([, field]) => field.all()),
    read: () => Object.fromEntries(fields.map(([name, field]) => [name, field.read()]).filter(([, value]) => value !== undefined)),
  };
}

function makeField(pointer, name, schema, required) {
  const types = [schema.type].flat();
  if (types.includes('object') && schema.properties)
    return groupField(pointer, name, schema, required);
  const id = `f${pointer.replaceAll('/', '-')}`, attributes = {id, 'aria-describedby': `${id}-help ${id}-error`, spellcheck: 'false', autocomplete: 'off'};
  let input, read;
  if (schema.enum) {
    input = h('select', attributes, schema.default === undefined ? h('option', {value: ''}, '') : null,
      schema.enum.map(one => h('option', {value: one, selected: one === schema.default}, `${one}`)));
    read = () => input.value === '' ? undefined : schema.enum.find(one => `${one}` === input.value);
  } else if (types.includes('boolean')) {
    input = h('input', {...attributes, type: 'checkbox', checked: schema.default === true});
    read = () => input.checked;
  } else if (types.includes('array')) {
    input = h('textarea', {...attributes, rows: 3, placeholder: 'one a line'});
    input.value = (schema.default ?? []).join('\n');
    const numbers = ['integer', 'number'].includes(schema.items?.type);
    read = () => {
      const list = input.value.split(numbers ? /[\s,]+/ : '\n').map(line => line.trim()).filter(Boolean);
      return list.length ? list.map(item => numbers ? asNumber(item) : item) : undefined;
    };
  } else {
    const numeric = types.includes('integer') || types.includes('number');
    input = h('input', {...attributes, type: 'text', inputmode: numeric ? 'decimal' : null, list: isPlayer(name) ? 'players' : null,
      placeholder: schema.default === undefined ? null : `${schema.default}`});
    read = () => input.value.trim() === '' ? undefined : numeric ? asNumber(input.value.trim()) : input.value.trim();
  }
  let touched = false;
  input.addEventListener('change', () => { touched = true; });
  const error = h('p', {class: 'field-error', id: `${id}-error`, 'aria-live': 'polite'});
  const range = schema.minimum !== undefined && schema.maximum !== undefined && schema.maximum < 1e9 ? ` (${number(schema.minimum)} to ${number(schema.maximum)})` : '';
  const node = h('div', {class: types.includes('array') ? 'wide' : null}, h('label', {for: id}, words(name), required ? ' *' : ''), input,
    h('p', {class: 'help', id: `${id}-help`}, `${schema.description ?? ''}${range}`), error);
  const field = {pointer, node, input, read, touched: () => touched, tell: message => {
    error.textContent = message ?? '';
    if (message)
      input.setAttribute('aria-invalid', 'true');
    else
      input.removeAttribute('aria-invalid');
  }};
  return {...field, all: () => [field]};
}

/** An object inside: sent when it is wanted (required, or its box is ticked). */
function groupField(pointer, name, schema, required) {
  const inner = objectField(pointer, schema), wanted = h('input', {type: 'checkbox', checked: required});
  inner.node.hidden = !required;
  wanted.addEventListener('change', () => { inner.node.hidden = !wanted.checked; });
  const node = h('fieldset', {class: 'wide'}, h('legend', {}, required ? words(name) : h('label', {}, wanted, ` ${words(name)}`)),
    h('p', {class: 'help'}, schema.description), inner.node);
  return {pointer, node, read: () => required || wanted.checked ? inner.read() : undefined, all: inner.all};
}

/** What is not a number goes to the service as it is, which says so. */
const asNumber = text => /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
