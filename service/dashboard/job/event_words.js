import {duration, number, percent} from '../lib/format.js';
import {STATE_NAMES} from '../lib/job_states.js';

const LENGTH_MAX = 300;

function progressWords({progress, eta_s: left}) {
  return percent(progress) + (typeof left === 'number' ? `, ${duration(left)} left` : '');
}

function wordsOf(name, data) {
  if (name === 'progress' && typeof data.progress === 'number') return progressWords(data);
  if (name === 'metrics' && data.rows)
    return data.rows.map(row => `${row.name} ${number(row.value)}`).join(', ');
  if (name === 'state') return STATE_NAMES[data.state] ?? data.state;
  return JSON.stringify(data);
}

/** What an event of a job says, in a line. */
export function eventWords(name, data) {
  const line = wordsOf(name, data);
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)} …` : line;
}
