/** The states of a job, as people call them. */
export const STATE_NAMES = {
  ready: 'waiting',
  leased: 'running',
  paused: 'paused',
  done: 'done',
  buried: 'failed',
  cancelled: 'cancelled',
};
export const ENDED = ['done', 'buried', 'cancelled'];
export const hasEnded = ({state}) => ENDED.includes(state);
