import {capital} from '../lib/format.js';
import {Card, Fold} from '../parts/card.js';
import {Marked} from '../parts/marked.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {figureText, printedText, valueOf} from './cells.js';
import {IntervalBar, rangeOf} from './interval_bar.js';
import {SectionChart} from './section_chart.js';

const ROWS_SHOWN = 8; // a longer table of a chart opens on demand
const HALF = 50; // per cent: neither is better

/** Words of the glossary that heads are. */
const TERMS = {sente: 'sente', gote: 'gote', pairs: 'pair'};

function Cell({cell, column}) {
  if (typeof cell === 'boolean')
    return html`<span class=${cell ? 'met' : 'unmet'}>${cell ? 'met' : 'not met'}</span>`;
  if (typeof cell === 'string') return html`<${Marked} text=${cell} />`;
  return figureText(cell, column);
}

/** The columns of a section for Table. Without a chart a drawing of the intervals follows the last
 * column that has them in every row. */
function columnsOf({columns, rows, chart}) {
  const list = columns.map((column, k) => {
    const isNumber = rows.every(row => valueOf(row[k]) !== undefined);
    const cell = ({row}) => html`<${Cell} cell=${row[k]} column=${column} />`;
    const head = capital(column.head);
    const isGate = rows.every(row => typeof row[k] === 'boolean'); // which says it itself
    return {head, term: TERMS[column.head], isNumber, label: isGate ? null : column.head, cell};
  });
  const k = columns.findLastIndex((_, n) => rows.every(row => rangeOf([row[n]])));
  if (k < 0 || chart) return list;
  const range = rangeOf(rows.map(row => row[k]));
  const level = columns[k].head.includes('%') ? HALF : 0;
  const cell = ({row}) => html`<${IntervalBar} cell=${row[k]} ...${{range, level}} />`;
  return [...list.slice(0, k + 1), {head: '', wide: 'bar', cell}, ...list.slice(k + 1)];
}

function SectionTable({section}) {
  const items = section.rows.map((row, id) => ({id, row}));
  const table = html`<${Table}
    columns=${columnsOf(section)}
    items=${items}
    kind="stack"
    view="results"
    label="table of ${section.title}"
  />`;
  const isLong = section.chart && items.length > ROWS_SHOWN;
  return isLong ? html`<${Fold} title="All figures">${table}<//>` : table;
}

/** The form of a new job, filled in with this one. */
const jobAddress = ({kind, spec}) =>
  `#/new/${kind}?spec=${encodeURIComponent(JSON.stringify(spec))}`;

const jobWords = ({kind, spec}) =>
  [
    kind,
    spec.algorithm,
    spec.reward,
    spec.seeds && `seed ${spec.seeds.join(', ')}`,
    spec.player,
    spec.a && `${spec.a} – ${spec.b}`,
  ]
    .filter(Boolean)
    .join(' ');

const Repeat = ({commands = [], jobs = []}) => html`
  ${commands.map(command => html`<pre>${command}</pre>`)}
  ${jobs.map(
    job => html`<p class="job"><a href=${jobAddress(job)}>New job: ${jobWords(job)}</a></p>`,
  )}
`;

/** A table of results with its chart, what was printed, and how to repeat it. */
export const SectionCard = ({section}) => html`
  <${Card} title=${section.title}>
    <p class="dim"><${Marked} text=${section.about} /></p>
    <${SectionTable} section=${section} />
    ${
      section.printed &&
      html`<p><b>Printed:</b> ${section.printed.map(printedText).join('; ')}.</p>`
    }
    <${Repeat} commands=${section.commands} jobs=${section.jobs} />
  <//>
  ${section.chart && html`<${SectionChart} section=${section} />`}
`;
