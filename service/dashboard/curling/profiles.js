// The profiles of the service: rules, ice and hand by one name. They do not change while it runs.
import {get} from '../lib/api.js';
import {useLoaded} from '../lib/use_loaded.js';

let names = null; // a promise, once they were asked for

function loadNames() {
  names ??= get('/v1/profiles').then(
    ({items}) => items.map(({name}) => name),
    error => {
      names = null;
      throw error;
    },
  );
  return names;
}

/** The names of the profiles; `shown` is among them, also while they are not known. */
export function useProfiles(shown) {
  const {value = []} = useLoaded(loadNames, []);
  return value.includes(shown) ? value : [shown, ...value];
}
