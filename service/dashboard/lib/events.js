// Server-sent events over fetch: an EventSource cannot send the token.
import {useRef} from '../vendor/preact.js';
import {request} from './api.js';
import {pause} from './pause.js';
import {useTask} from './use_loaded.js';

const WAIT_FIRST_MS = 500;
const WAIT_MOST_MS = 5000;
const FOR_GOOD = [403, 404]; // asking again would not help

/** One event from its lines. */
function parse(block) {
  const event = {name: 'message', id: null, data: ''};
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    const field = line.slice(0, at);
    const rest = line.slice(at + 1).replace(/^ /, '');
    if (field === 'event') event.name = rest;
    else if (field === 'id') event.id = rest;
    else if (field === 'data') event.data += rest;
  }
  return event;
}

async function* read(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return;
    const blocks = (buffer + value).split('\n\n');
    buffer = blocks.pop();
    yield* blocks.map(parse);
  }
}

/** Calls onEvent(name, data) for each event until the signal aborts or the service says that no
 * more will follow. After a broken connection it goes on behind the last event. */
export async function listen(path, onEvent, signal) {
  let last = null;
  let wait = WAIT_FIRST_MS;
  while (!signal.aborted) {
    const headers = {Accept: 'text/event-stream', ...(last ? {'Last-Event-ID': last} : {})};
    try {
      const response = await request('GET', path, {signal, headers});
      if (response.status === 204) return;
      wait = WAIT_FIRST_MS;
      for await (const event of read(response.body)) {
        last = event.id ?? last;
        if (event.data) onEvent(event.name, JSON.parse(event.data));
      }
    } catch (error) {
      if (signal.aborted || FOR_GOOD.includes(error.status)) return;
    }
    await pause(wait, signal);
    wait = Math.min(2 * wait, WAIT_MOST_MS);
  }
}

/** Calls onEvent(name, data) for the events of these paths while the component is shown. */
export function useEvents(paths, onEvent) {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  const pass = (name, data) => latest.current(name, data);
  useTask(signal => paths.forEach(path => listen(path, pass, signal)), [paths.join()]);
}
