// All runs; some of them can be looked at together.
import {usePages} from '../lib/use_pages.js';
import {html, useState} from '../vendor/preact.js';
import {RunTable} from './run_table.js';

const POLL_MS = 5000;
const SPEC = ['algorithm', 'reward', 'profile', 'iterations', 'from', 'seconds'];
const FIELDS = [
  ...['id', 'job', 'kind', 'state', 'seed', 'tags', 'metrics', 'created_at'],
  ...SPEC.map(name => `spec.${name}`),
].join();

export function Page() {
  const {items, error, more} = usePages('/v1/runs', {fields: FIELDS}, POLL_MS);
  const [chosen, setChosen] = useState([]);
  const choose = (id, isChosen) =>
    setChosen(before => (isChosen ? [...before, id] : before.filter(one => one !== id)));
  const compare = () => {
    location.hash = `#/run/${chosen.join(',')}`;
  };
  return html`
    <h1>Runs</h1>
    <div class="toolbar">
      <button class="primary" disabled=${!chosen.length} onClick=${compare}>Show together</button>
      <span class="dim small">Tick runs to see their curves in one chart.</span>
    </div>
    <section class="card">
      <${RunTable} ...${{items, error, chosen}} onChoose=${choose} />
    </section>
    <button hidden=${!more} onClick=${more}>Older runs</button>
  `;
}
