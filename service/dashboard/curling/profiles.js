export const PROFILES = ['dc2', 'dc3', 'dc3-four-rock', 'dc4', 'dc4-no-tick', 'dc4-library'];
