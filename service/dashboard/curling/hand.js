// The hand of a thrower: settings of the noise of a profile, {name: number}, of which absent ones
// are the profile's. As a parameter of an address: "stddev_speed-0.0081*hit_factor-1.5".
const BETWEEN = '-';
const NEXT = '*';
const DIGITS = 4;

const rounded = value => Number(value.toPrecision(DIGITS));

/** The settings of a hand in words. */
export const SETTING_NAMES = {
  gat_stddev_x: 'Error across at the tee',
  gat_stddev_y: 'Error along at the tee',
  stddev_speed: 'Error of the speed',
  stddev_angle: 'Error of the angle',
  max_speed: 'Largest speed',
  degrees_of_freedom: 'Degrees of freedom',
  hit_factor: 'Factor at hit weight',
  release: 'Side of the release',
  stddev_spin: 'Error of the turn',
};

/** Units that are no words of their own. */
const UNITS = {m: 'm', 'm/s': 'm/s', rad: 'rad', deviations: 'deviations'};
export const unitOf = ({unit}) => UNITS[unit] ?? '';

export const handText = hand =>
  Object.entries(hand)
    .map(([name, value]) => `${name}${BETWEEN}${rounded(value)}`)
    .join(NEXT);

/** The hand of such a text; what cannot be read is left out. */
export function handOf(text) {
  const pairs = (text ?? '').split(NEXT).map(part => {
    const at = part.indexOf(BETWEEN);
    return [part.slice(0, at), Number(part.slice(at + 1))];
  });
  return Object.fromEntries(
    pairs.filter(([name, value]) => Object.hasOwn(SETTING_NAMES, name) && Number.isFinite(value)),
  );
}

/** The member of a query: nothing for the profile's own hand. */
export const noiseOf = hand => (Object.keys(hand).length ? {noise: hand} : {});
