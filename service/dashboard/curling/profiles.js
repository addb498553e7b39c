// The profiles of the service: rules, ice and hand by one name. They do not change while it runs.
import {get} from '../lib/api.js';
import {once} from '../lib/once.js';
import {useLoaded} from '../lib/use_loaded.js';

const loadNames = once(async () => (await get('/v1/profiles')).items.map(({name}) => name));

/** The names of the profiles; `shown` is among them even before they are loaded. */
export function useProfiles(shown) {
  const {value = []} = useLoaded(loadNames, []);
  return value.includes(shown) ? value : [shown, ...value];
}
