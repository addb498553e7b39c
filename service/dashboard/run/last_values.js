import {get, query} from '../lib/api.js';
import {curveWords} from './curve_words.js';
import {number, shortId} from '../lib/format.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Loaded} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const last = ({points}, k) => number(points.at(-1)[k]);
const columnsOf = described => [
  {head: 'Curve', cell: ({name}) => curveWords(name, described)},
  {head: 'Run', cell: ({run}) => shortId(run)},
  {head: 'Step', isNumber: true, cell: curve => last(curve, 0)},
  {head: 'Value', isNumber: true, cell: curve => last(curve, 1)},
];

/** Names as the service reads them: they may hold commas and quotes. */
const quoted = names => names.map(name => `"${name.replaceAll('"', '""')}"`).join();

/** The last values as a table, for a rinkd without charts. */
export function LastValues({names, runs, described, turn}) {
  const load = async signal => {
    const one = run => {
      const asked = query({names: quoted(run.metrics), max_points: 3});
      return get(`/v1/runs/${run.id}/metrics${asked}`, {signal});
    };
    const curves = (await Promise.all(runs.map(one))).flatMap(answer => answer.curves);
    return curves.filter(({points}) => points.length);
  };
  return html`<${Loaded} ...${useLoaded(load, [names.join(), turn])}>
    ${curves => html`<div class="charts">
      <section class="card wide">
        <div class="note">
          Charts are not built into this rinkd: the chart library could not be had when it was
          built. The last values:
        </div>
        <${Table} columns=${columnsOf(described)} items=${curves} />
      </section>
    </div>`}
  <//>`;
}
