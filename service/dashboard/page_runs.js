// All runs; some of them can be looked at together.
import {get, query} from './api.js';
import {empty, errorBox, h, jobWords, loading, number, stateBadge, table, update, when} from './dom.js';

const FIELDS = `id,job,kind,state,seed,tags,metrics,created_at,${['algorithm', 'reward', 'profile', 'iterations', 'from', 'seconds'].map(name => `spec.${name}`).join()}`;

export async function show(root, page) {
  const chosen = new Set(), place = h('section', {class: 'card'}, loading()), older = h('button', {hidden: true, onclick: () => more()}, 'Older runs');
  const compare = h('button', {class: 'primary', disabled: true, onclick: () => { location.hash = `#/run/${[...chosen].join(',')}`; }}, 'Show together');
  let items = [], cursor = null, pages = 1;

  root.append(h('h1', {}, 'Runs'), h('div', {class: 'toolbar'}, compare, h('span', {class: 'dim small'}, 'Tick runs to see their curves in one chart.')), place, older);

  function draw() {
    older.hidden = !cursor;
    update(place, [items.length ? table(['', 'Run', 'What', 'State', '#Seed', '#Curves', 'Tags', 'Made'], items.map(run => [
      h('input', {type: 'checkbox', 'aria-label': `choose run ${run.id}`, checked: chosen.has(run.id), onchange: event => {
        chosen[event.target.checked ? 'add' : 'delete'](run.id);
        compare.disabled = chosen.size < 1;
      }}),
      h('a', {href: `#/run/${run.id}`}, run.id.slice(0, 8)), h('td', {class: 'what'}, h('b', {}, run.kind), ' ', jobWords(run.kind, run.spec), ' ', h('a', {class: 'small', href: `#/job/${run.job}`}, `job ${run.job}`)),
      stateBadge(run.state), number(run.seed), number(run.metrics.length), Object.entries(run.tags).map(([name, value]) => `${name}=${value}`).join(' '), when(run.created_at)]), 'stack')
      : empty('There are no runs yet. Jobs that train or diagnose leave runs behind.')]);
  }

  async function refresh() {
    try {
      let list = [], at = null;
      for (let k = 0; k < pages; k++) {
        const part = await get(`/v1/runs${query({limit: 50, cursor: at, fields: FIELDS})}`, {signal: page.signal});
        list = list.concat(part.items);
        at = part.next_cursor;
        if (!at)
          break;
      }
      items = list;
      cursor = at;
      draw();
    } catch (error) {
      if (error.name !== 'AbortError' && !items.length)
        place.replaceChildren(errorBox(error));
    }
  }
  async function more() {
    pages++;
    await refresh();
  }
  page.every(5000, refresh);
}
