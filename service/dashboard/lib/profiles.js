// The profiles of the service: rules, ice and hand by one name. They do not change while it runs.
import {get} from './api.js';
import {once} from './once.js';
import {useLoaded} from './use_loaded.js';

const loadNames = once(async () => (await get('/v1/profiles')).items.map(({name}) => name));

/** The names of the profiles; `shown` is among them even before they are loaded. */
export function useProfiles(shown) {
  const {value = []} = useLoaded(loadNames, []);
  return value.includes(shown) ? value : [shown, ...value];
}
