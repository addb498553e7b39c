// The profiles of the service: rules, ice and hand by one name. They do not change while it runs.
import {get} from './api.js';
import {once} from './once.js';
import {useLoaded} from './use_loaded.js';

let known = [];

export const loadProfiles = once(async () => (known = (await get('/v1/profiles')).items));

/** The same without waiting: undefined until loadProfiles() has ended. */
export const knownProfile = name => known.find(profile => profile.name === name);

/** The profile of that name, as GET /v1/profiles describes it. */
export const loadProfile = async name =>
  (await loadProfiles()).find(profile => profile.name === name);

/** The same for a component; undefined until it is loaded. */
export function useProfile(name) {
  return useLoaded(() => loadProfile(name), [name]).value;
}

/** The names of the profiles; `shown` is among them even before they are loaded. */
export function useProfiles(shown) {
  const {value = []} = useLoaded(loadProfiles, []);
  const names = value.map(({name}) => name);
  return names.includes(shown) ? names : [shown, ...names];
}
