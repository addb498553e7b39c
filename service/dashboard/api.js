// Talking to the service: requests with the user's token, server-sent events over fetch (an
// EventSource cannot send headers), and whether the service can be reached at all.

const TOKEN = 'rinkd-token';

/** A problem of RFC 9457, or one of the network (status 0). */
export class Problem extends Error {
  constructor(problem) {
    super(problem.detail ?? problem.title);
    Object.assign(this, problem);
  }
}

// ---- whether it is there ----

const watchers = new Set();
let connection = {state: 'connecting', text: 'connecting'};

export function setConnection(state, text) {
  const returned = state !== 'lost' && connection.state === 'lost';
  connection = {state, text};
  for (const watcher of watchers)
    watcher(connection, returned);
}

/** watcher({state, text}, returned): state is connecting, ready, waiting or lost. */
export function watchConnection(watcher, signal) {
  watchers.add(watcher);
  signal?.addEventListener('abort', () => watchers.delete(watcher));
  watcher(connection, false);
}

// ---- tokens ----

let asking = null; // the dialog, as a promise, while it is open

function askToken(why) {
  asking ??= new Promise(resolve => {
    const dialog = document.getElementById('token-dialog'), input = document.getElementById('token');
    if (why)
      document.getElementById('token-why').textContent = why;
    input.value = '';
    dialog.oncancel = event => event.preventDefault();
    dialog.onclose = () => {
      sessionStorage.setItem(TOKEN, input.value.trim());
      asking = null;
      resolve();
    };
    dialog.showModal();
  });
  return asking;
}

// ---- requests ----

async function request(method, path, {body, signal, headers} = {}) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    let response;
    try {
      response = await fetch(path, {
        method, signal,
        headers: {
          Accept: 'application/json', ...headers,
          ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
          ...(token ? {Authorization: `Bearer ${token}`} : {}),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      if (error.name === 'AbortError')
        throw error;
      setConnection('lost', 'not reachable, trying again');
      throw new Problem({status: 0, title: 'The service cannot be reached', detail: 'It is tried again.'});
    }
    if (connection.state === 'lost')
      setConnection('connecting', 'back');
    if (response.status === 401) {
      // Another request may have got a better token meanwhile.
      if (sessionStorage.getItem(TOKEN) === token)
        await askToken(token && 'This token is not known here. Another one?');
      continue;
    }
    if (response.ok)
      return response;
    let problem = {status: response.status, title: response.statusText};
    try {
      problem = {...problem, ...await response.json()};
    } catch { /* no problem document: the status has to do */ }
    throw new Problem(problem);
  }
}

export const get = async (path, options) => (await request('GET', path, options)).json();
// What these get is not JSON.
const any = options => ({...options, headers: {Accept: '*/*', ...options?.headers}});
export const text = async (path, options) => (await request('GET', path, any(options))).text();
export const blob = async (path, options) => (await request('GET', path, any(options))).blob();
export async function post(path, body, options) {
  return (await request('POST', path, {...options, body})).json();
}
export const remove = (path, options) => request('DELETE', path, options);

/** A query string of what is not empty: query({limit: 5}) is "?limit=5". */
export function query(parameters) {
  const list = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return list.length ? `?${new URLSearchParams(list)}` : '';
}

// ---- server-sent events ----

const pause = (ms, signal) => new Promise(resolve => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); });
});

/** Calls onEvent(name, data) for each event until the signal aborts or the service says that none
 * will follow; when the connection breaks it goes on after the last one. */
export async function listen(path, onEvent, signal) {
  let last = null, wait = 500;
  while (!signal.aborted) {
    try {
      const response = await request('GET', path, {signal, headers: {Accept: 'text/event-stream', ...(last ? {'Last-Event-ID': last} : {})}});
      if (response.status === 204)
        return;
      wait = 500;
      for await (const event of events(response.body)) {
        last = event.id ?? last;
        if (event.data)
          onEvent(event.name, JSON.parse(event.data));
      }
    } catch (error) {
      if (signal.aborted || error.status === 404 || error.status === 403)
        return;
    }
    await pause(wait, signal);
    wait = Math.min(2 * wait, 5000);
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done)
      return;
    buffer += value;
    const blocks = buffer.split('\n\n');
    buffer = blocks.pop();
    for (const block of blocks) {
      const event = {name: 'message', id: null, data: ''};
      for (const line of block.split('\n')) {
        const at = line.indexOf(':'), field = line.slice(0, at), rest = line.slice(at + 1).replace(/^ /, '');
        if (field === 'event')
          event.name = rest;
        else if (field === 'id')
          event.id = rest;
        else if (field === 'data')
          event.data += rest;
      }
      yield event;
    }
  }
}
