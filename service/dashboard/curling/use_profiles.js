import {PROFILES} from './profiles.js';

/** The names of the profiles of the service; `shown` is among them in any case. */
export const useProfiles = shown => (PROFILES.includes(shown) ? PROFILES : [shown, ...PROFILES]);
