// The kinds of jobs as the service describes them (GET /v1/job-kinds). They do not change while it
// runs.
import {get} from './api.js';
import {once} from './once.js';

/** [{name, about, internal, plays_games, result: [views], curves, …}]; see
 * api/jobs/job_kind_json.h. */
export const loadJobKinds = once(async () => (await get('/v1/job-kinds')).items);

/** The same of one kind, with the JSON Schema of its specs as `schema`. */
export const loadJobKind = (name, signal) => get(`/v1/job-kinds/${name}`, {signal});
