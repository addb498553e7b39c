// The kinds of jobs as the service describes them (GET /v1/job-kinds): what they are called, what
// they are for, how their results and curves are shown. They do not change while it runs.
import {get} from './api.js';

let kinds = null; // a promise, once they were asked for

/** [{name, about, internal, plays_games, result: [views], curves, …}]; see api/job_kind_json.h. */
export function loadJobKinds() {
  kinds ??= get('/v1/job-kinds').then(
    ({items}) => items,
    error => {
      kinds = null;
      throw error;
    },
  );
  return kinds;
}

/** The same of one kind, with the JSON Schema of its specs as `schema`. */
export const loadJobKind = (name, signal) => get(`/v1/job-kinds/${name}`, {signal});
