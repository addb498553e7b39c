import {get, query} from '../lib/api.js';
import {number, shortId} from '../lib/format.js';
import {useLoaded} from '../lib/use_loaded.js';
import {ErrorBox} from '../parts/error_box.js';
import {Loading} from '../parts/loading.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const COLUMNS = [
  {head: 'Curve'},
  {head: 'Run'},
  {head: 'Step', isNumber: true},
  {head: 'Value', isNumber: true},
];

function rowOf({name, run, points}) {
  const [step, value] = points.at(-1);
  return [name, shortId(run), number(step), number(value)];
}

/** What a rinkd without charts shows: what was measured last. */
export function LastValues({names, runs, turn}) {
  const last = useLoaded(
    async signal => {
      const asked = query({names: names.join(), max_points: 3});
      const load = run => get(`/v1/runs/${run.id}/metrics${asked}`, {signal});
      return (await Promise.all(runs.map(load))).flatMap(({curves}) => curves);
    },
    [names.join(), turn],
  );
  if (last.error) return html`<${ErrorBox} error=${last.error} />`;
  if (!last.value) return html`<${Loading} />`;
  const rows = last.value.filter(curve => curve.points.length).map(rowOf);
  return html`<div class="charts">
    <section class="card wide">
      <div class="note">
        Charts are not built into this rinkd: the chart library could not be had when it was built.
        The last values:
      </div>
      <${Table} columns=${COLUMNS} rows=${rows} />
    </section>
  </div>`;
}
