// A new job. The form is made from the JSON Schema of its kind; while it is filled in, the service
// is asked what it would say (dry_run), so mistakes stand at their fields and the estimate is live.
import {get, post} from './api.js';
import {card, duration, empty, errorBox, h, loading, number, properties} from './dom.js';

export async function show(root, page) {
  const {items} = await get('/v1/schemas', {signal: page.signal});
  const kinds = items.map(item => item.kind).filter(kind => kind !== 'shot');
  const players = await get('/v1/players?fields=name,about&limit=500', {signal: page.signal}).then(list => list.items, () => []);
  const wanted = page.args[0] ?? page.query.get('kind');
  // A branch: what its run was asked, and the checkpoint that it goes on from.
  const from = page.query.get('from') ? {run: page.query.get('from'), step: Number(page.query.get('step'))} : null;
  const origin = from ? await get(`/v1/runs/${encodeURIComponent(from.run)}`, {signal: page.signal}) : null;
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
    clearTimeout(timer);
    turn++;
    const schema = await get(`/v1/schemas/${name}`, {signal: page.signal});
    form = objectField('/spec', schema, origin && name === 'train' ? {...origin.spec, seeds: [origin.seed], iterations: 2 * origin.spec.iterations, from} : null);
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
      const time = h('b', {}, answer.estimate_s === null ? 'an unknown time' : `about ${duration(answer.estimate_s)}`);
      verdict.set(h('p', {}, 'It would take ', time, '. ', answer.kind === 'train' ? h('button', {type: 'button', onclick: event => tryOut(event.currentTarget, time)}, 'Try it out') : null),
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

  /** The service does some seconds of a training to say how long it would take. */
  async function tryOut(button, place) {
    button.disabled = true;
    place.textContent = '… (being tried out)';
    try {
      const answer = await post('/v1/jobs', request({dry_run: true}), {signal: page.signal, headers: {Prefer: 'wait=60'}});
      place.textContent = answer.estimate_s === null ? 'a time that could not be found out' : `about ${duration(answer.estimate_s)}`;
    } catch (error) {
      if (error.name !== 'AbortError')
        verdict.set(errorBox(error));
    }
    button.disabled = false;
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

/** What holds of an object under the cases ("allOf") of its schema: a schema without them. */
function settle(schema, value) {
  const properties = {...schema.properties};
  for (const {if: condition, then} of schema.allOf ?? [])
    if (Object.entries(condition.properties).every(([name, one]) => value[name] === undefined ? !condition.required?.includes(name) : one.enum.includes(value[name])))
      Object.assign(properties, then.properties);
  return Object.fromEntries(Object.entries(properties).filter(([, one]) => typeof one === 'object'));
}

/** The fields of an object; `initial` (or null): values to begin with. Fields that depend on a choice
 * come and go with it, and come back with what was written in them. */
function objectField(pointer, schema, initial) {
  const required = schema.required ?? [], made = new Map(), node = h('div', {class: 'fields'});
  const choices = new Set((schema.allOf ?? []).flatMap(one => Object.keys(one.if.properties)));
  let fields = [];

  function arrange() {
    const read = Object.fromEntries(fields.filter(([name]) => choices.has(name)).map(([name, field]) => [name, field.read()]));
    fields = Object.entries(settle(schema, read)).map(([name, one]) => {
      const key = `${name} ${JSON.stringify(one)}`;
      if (!made.has(key)) {
        const field = makeField(`${pointer}/${name}`, name, one, required.includes(name), initial?.[name]);
        made.set(key, field);
        if (choices.has(name))
          field.input.addEventListener('change', arrange);
      }
      return [name, made.get(key)];
    });
    const nodes = fields.map(([, field]) => field.node), focus = document.activeElement;
    node.replaceChildren(...nodes);
    if (node.contains(focus))
      focus.focus();
  }
  arrange();
  arrange(); // by the choices that there are now
  return {
    pointer, node,
    all: () => fields.flatMap(([, field]) => field.all()),
    read: () => Object.fromEntries(fields.map(([name, field]) => [name, field.read()]).filter(([, value]) => value !== undefined)),
  };
}

function makeField(pointer, name, schema, required, initial) {
  const types = [schema.type].flat();
  if (types.includes('object') && schema.properties)
    return groupField(pointer, name, schema, required, initial);
  const id = `f${pointer.replaceAll('/', '-')}`, attributes = {id, 'aria-describedby': `${id}-help ${id}-error`, spellcheck: 'false', autocomplete: 'off'};
  let input, read;
  if (schema.enum) {
    input = h('select', attributes, schema.default === undefined ? h('option', {value: ''}, '') : null,
      schema.enum.map(one => h('option', {value: one, selected: one === (initial ?? schema.default)}, `${one}`)));
    read = () => input.value === '' ? undefined : schema.enum.find(one => `${one}` === input.value);
  } else if (types.includes('boolean')) {
    input = h('input', {...attributes, type: 'checkbox', checked: (initial ?? schema.default) === true});
    read = () => input.checked;
  } else if (types.includes('array')) {
    const numbers = ['integer', 'number'].includes(schema.items?.type);
    input = numbers ? h('input', {...attributes, type: 'text', placeholder: 'numbers'}) : h('textarea', {...attributes, rows: 3, placeholder: 'one a line'});
    input.value = (initial ?? schema.default ?? []).join(numbers ? ', ' : '\n');
    read = () => {
      const list = input.value.split(numbers ? /[\s,]+/ : '\n').map(line => line.trim()).filter(Boolean);
      return list.length || schema.minItems === 0 ? list.map(item => numbers ? asNumber(item) : item) : undefined;
    };
  } else {
    const numeric = types.includes('integer') || types.includes('number');
    input = h('input', {...attributes, type: 'text', inputmode: numeric ? 'decimal' : null, list: isPlayer(name) ? 'players' : null,
      placeholder: schema.default === undefined ? null : `${schema.default}`});
    input.value = initial ?? '';
    read = () => input.value.trim() === '' ? undefined : numeric ? asNumber(input.value.trim()) : input.value.trim();
  }
  let touched = false;
  input.addEventListener('change', () => { touched = true; });
  const error = h('p', {class: 'field-error', id: `${id}-error`, 'aria-live': 'polite'});
  const range = schema.minimum !== undefined && schema.maximum !== undefined && schema.maximum <= 1e9 ? ` (${number(schema.minimum)} to ${number(schema.maximum)})` : '';
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
function groupField(pointer, name, schema, required, initial) {
  const inner = objectField(pointer, schema, initial), wanted = h('input', {type: 'checkbox', checked: required || initial !== undefined});
  inner.node.hidden = !wanted.checked;
  wanted.addEventListener('change', () => { inner.node.hidden = !wanted.checked; });
  const node = h('fieldset', {class: 'wide'}, h('legend', {}, required ? words(name) : h('label', {}, wanted, ` ${words(name)}`)),
    h('p', {class: 'help'}, schema.description), inner.node);
  return {pointer, node, read: () => required || wanted.checked ? inner.read() : undefined, all: inner.all};
}

/** What is not a number goes to the service as it is, which says so. */
const asNumber = text => /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
