// All runs; some of them can be looked at together.
import {get, query} from '../lib/api.js';
import {usePoll} from '../lib/use_poll.js';
import {ErrorBox} from '../parts/error_box.js';
import {Loading} from '../parts/loading.js';
import {html, useEffect, useState} from '../vendor/preact.js';
import {RunTable} from './run_table.js';

const POLL_MS = 5000;
const PAGE = 50;
const SPEC = ['algorithm', 'reward', 'profile', 'iterations', 'from', 'seconds'];
const FIELDS = [
  ...['id', 'job', 'kind', 'state', 'seed', 'tags', 'metrics', 'created_at'],
  ...SPEC.map(name => `spec.${name}`),
].join();

/** The newest runs, some pages of them: {items, cursor}; cursor null: there are no more. */
async function loadRuns(pages, signal) {
  let items = [];
  let cursor = null;
  for (let k = 0; k < pages; k++) {
    const asked = query({limit: PAGE, cursor, fields: FIELDS});
    const part = await get(`/v1/runs${asked}`, {signal});
    items = items.concat(part.items);
    cursor = part.next_cursor;
    if (!cursor) break;
  }
  return {items, cursor};
}

/** The list as it changes: {items, cursor, error, more()}. */
function useRunList() {
  const [pages, setPages] = useState(1);
  const [list, setList] = useState({items: null, cursor: null, error: null});
  const refresh = usePoll(async signal => {
    try {
      setList({...(await loadRuns(pages, signal)), error: null});
    } catch (error) {
      setList(before => ({...before, error}));
      throw error;
    }
  }, POLL_MS);
  useEffect(() => {
    if (pages > 1) refresh();
  }, [pages]);
  return {...list, more: () => setPages(pages + 1)};
}

export function Page() {
  const {items, cursor, error, more} = useRunList();
  const [chosen, setChosen] = useState([]);
  const choose = (id, isChosen) =>
    setChosen(before => (isChosen ? [...before, id] : before.filter(one => one !== id)));
  const compare = () => {
    location.hash = `#/run/${chosen.join(',')}`;
  };
  const content = () => {
    if (items) return html`<${RunTable} items=${items} chosen=${chosen} onChoose=${choose} />`;
    return error ? html`<${ErrorBox} error=${error} />` : html`<${Loading} />`;
  };
  return html`
    <h1>Runs</h1>
    <div class="toolbar">
      <button class="primary" disabled=${!chosen.length} onClick=${compare}>Show together</button>
      <span class="dim small">Tick runs to see their curves in one chart.</span>
    </div>
    <section class="card">${content()}</section>
    <button hidden=${!cursor} onClick=${more}>Older runs</button>
  `;
}
