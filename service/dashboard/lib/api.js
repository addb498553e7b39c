// Requests to the service, with the token of the user.
import {connection} from './connection.js';
import {askToken, currentToken} from './token.js';

// A connection can break silently: a request without an answer after this time has failed.
const ANSWER_MS = 20000;

/** A problem document (RFC 9457), or a network error (status 0). */
class Problem extends Error {
  constructor(problem) {
    super(problem.detail ?? problem.title);
    Object.assign(this, problem);
  }
}

/** Whether the request was given up because its component is gone. */
export const isAbort = error => error.name === 'AbortError';

function options(method, token, {body, file, signal, limitMs, headers}) {
  const signals = [signal, limitMs && AbortSignal.timeout(limitMs)].filter(Boolean);
  return {
    method,
    signal: AbortSignal.any(signals),
    headers: {
      Accept: 'application/json',
      ...headers,
      ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
      ...(file ? {'Content-Type': 'application/octet-stream'} : {}),
      ...(token ? {Authorization: `Bearer ${token}`} : {}),
    },
    body: file ?? (body === undefined ? undefined : JSON.stringify(body)),
  };
}

/** An address of the service as one of the page, which a proxy may show under a path of its own. */
const here = path => path.replace(/^\//, './');

/** A failure of the network, which may be in the middle of an answer, as a Problem. */
async function reach(promise, signal) {
  try {
    return await promise;
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.set({state: 'lost', text: 'not reachable, trying again'});
    throw new Problem({
      status: 0,
      title: 'The service cannot be reached',
      detail: 'The page keeps trying.',
    });
  }
}

async function problemOf(response) {
  const problem = {status: response.status, title: response.statusText};
  try {
    return new Problem({...problem, ...(await response.json())});
  } catch {
    return new Problem(problem); // not a problem document
  }
}

/** Sends a request until the token is right. Throws a Problem unless the status is 2xx. `limitMs`:
 * the time for the answer and its body, without that for asking for a token. */
export async function request(method, path, more = {}) {
  for (;;) {
    const token = currentToken();
    const response = await reach(fetch(here(path), options(method, token, more)), more.signal);
    if (connection.state.state === 'lost') connection.set({state: 'connecting', text: 'back'});
    if (response.status !== 401) {
      if (response.ok) return response;
      throw await problemOf(response);
    }
    // Another request may have got a better token meanwhile.
    if (currentToken() === token)
      await askToken(token && 'This token is not known here. Another one?');
  }
}

const ofAnyType = more => ({...more, headers: {Accept: '*/*', ...more?.headers}});

async function answer(kind, method, path, more) {
  const response = await request(method, path, more);
  return reach(response[kind](), more?.signal);
}
export const get = (path, more) => answer('json', 'GET', path, {...more, limitMs: ANSWER_MS});
export const text = (path, more) =>
  answer('text', 'GET', path, {...ofAnyType(more), limitMs: ANSWER_MS});
export const blob = (path, more) => answer('blob', 'GET', path, ofAnyType(more));
export const post = (path, body, more) => answer('json', 'POST', path, {...more, body});
/** Sends a file as it is. */
export const postFile = (path, file, more) => answer('json', 'POST', path, {...more, file});
export const patch = (path, body, more) => answer('json', 'PATCH', path, {...more, body});
export const remove = (path, more) => request('DELETE', path, more);

/** A query string without the empty parameters: query({limit: 5}) is "?limit=5". */
export function query(parameters) {
  const isGiven = ([, value]) => value !== undefined && value !== null && value !== '';
  const list = Object.entries(parameters).filter(isGiven);
  return list.length ? `?${new URLSearchParams(list)}` : '';
}
