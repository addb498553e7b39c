import {giveErrors} from '../forms/field_errors.js';
import {FieldGroup} from '../forms/field_group.js';
import {post} from '../lib/api.js';
import {pause} from '../lib/pause.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Fold} from '../parts/card.js';
import {ErrorBox, FieldErrors} from '../parts/notes.js';
import {html, useEffect, useRef, useState} from '../vendor/preact.js';
import {VerdictCard} from './verdict_card.js';

const PAUSE_MS = 350; // while somebody types
const PRIORITY = {
  type: 'integer',
  minimum: -1000,
  maximum: 1000,
  default: 0,
  description: 'smaller is earlier',
};
const CORES = {
  type: 'integer',
  minimum: 1,
  maximum: 100000,
  description: 'that its tasks may occupy together; empty: all there are',
};
const QUEUE = {pointer: '', schema: {properties: {priority: PRIORITY}}};
const SHARED_QUEUE = {pointer: '', schema: {properties: {priority: PRIORITY, cores: CORES}}};

/** Adds the job and goes to its page. */
async function addJob(request) {
  const key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  const job = await post('/v1/jobs', request, {headers: {'Idempotency-Key': key}});
  location.hash = `#/job/${job.id}`;
}

/** The answer of the service to a dry run of the request: {value} or {error}, {} at first. */
function useDryRun(request) {
  const isFirst = useRef(true);
  const ask = async signal => {
    if (!isFirst.current) await pause(PAUSE_MS, signal);
    isFirst.current = false;
    const headers = {Prefer: 'wait=0'}; // nothing is tried out while somebody types
    return post('/v1/jobs', {...request, dry_run: true}, {signal, headers});
  };
  return useLoaded(ask, [JSON.stringify(request)]);
}

/** Starting the job: {busy, problem, start(event)}. After a refusal the first wrong field has the
 * focus. */
function useStart(request, place) {
  const [state, setState] = useState({busy: false, problem: null});
  const start = async event => {
    event.preventDefault();
    setState({busy: true, problem: null});
    try {
      await addJob(request);
    } catch (problem) {
      setState({busy: false, problem});
    }
  };
  useEffect(() => {
    if (state.problem) place.current.querySelector('[aria-invalid=true]')?.focus();
  }, [state.problem]);
  return {...state, start};
}

const Trouble = ({problem, left}) => html`
  <${ErrorBox} error=${problem} />
  <${FieldErrors} errors=${left} />
`;

/** given: a spec to begin with, or null; chooser: the choice of the kind; form: what was filled
 * in. */
export function JobForm({kind, given, chooser, form}) {
  const place = useRef(null);
  const spec = {pointer: '/spec', schema: kind.schema, given};
  const queue = kind.has_tasks ? SHARED_QUEUE : QUEUE;
  const request = {kind: kind.name, spec: form.read(spec), ...form.read(queue)};
  const verdict = useDryRun(request);
  const {busy, problem, start} = useStart(request, place);
  const fields = [...form.allFields(spec), ...form.allFields(queue)];
  const isQuiet = field => !problem && !form.isTouched(field);
  const {messages, left} = giveErrors(verdict.error?.errors ?? [], fields, isQuiet);
  return html`<form ref=${place} novalidate onSubmit=${start}>
    <div class="columns">
      <section class="card">
        ${chooser}
        <p class="dim">
          ${kind.about}
          ${kind.schema.required?.length > 0 && '. Fields with a * must be filled in.'}
        </p>
        <${FieldGroup} group=${spec} form=${form} errors=${messages} />
        <${Fold} title="Queue">
          <${FieldGroup} group=${queue} form=${form} errors=${messages} />
        <//>
        <div class="buttons">
          <button class="primary" type="submit" disabled=${busy}>Start the job</button>
        </div>
        ${problem && html`<${Trouble} problem=${problem} left=${left} />`}
      </section>
      <${VerdictCard} verdict=${verdict} left=${left} kind=${kind} request=${request} />
    </div>
  </form>`;
}
