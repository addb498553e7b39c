import {Chart} from '../charts/chart.js';
import {chartsAreBuiltIn} from '../charts/library.js';
import {html, useMemo} from '../vendor/preact.js';
import {intervalOf, printedText, valueOf} from './cells.js';

const nothing = () => {};

/** A curve with its interval, where all its cells have one. */
function addCurve(data, {columns, rows, chart}, k, colour) {
  const points = of => rows.map(row => [valueOf(row[chart.x]), of(row[k])]);
  const label = columns[k].head;
  data.curves.push(points(valueOf));
  data.labels.push({text: label, colour});
  if (!rows.every(row => intervalOf(row[k]))) return;
  data.curves.push(points(cell => intervalOf(cell).high));
  data.curves.push(points(cell => intervalOf(cell).low));
  data.labels.push({text: `${label}, high`, colour}, {text: `${label}, low`, colour});
  const count = data.curves.length;
  data.bands.push([count - 2, count - 1, count]);
}

/** A level line for a printed figure. */
function addPrinted(data, {rows, chart}, one, colour) {
  const xs = rows.map(row => valueOf(row[chart.x]));
  data.curves.push(xs.map(x => [x, one.value]));
  data.labels.push({text: `printed: ${printedText(one)}`, colour});
}

/** The rows that are drawn: the first value of a curve may be far from the others. */
const rowsOf = ({rows, chart}) =>
  rows.filter(row => chart.from === undefined || valueOf(row[chart.x]) >= chart.from);

/** What charts/options.js draws: the curves of a section, and what was printed. */
function dataOf(whole) {
  const section = {...whole, rows: rowsOf(whole)};
  const {columns, chart, printed = []} = section;
  const data = {x: columns[chart.x].head, labels: [], curves: [], bands: [], log: false};
  chart.curves.forEach((k, n) => addCurve(data, section, k, n));
  printed
    .filter(({value}) => value !== undefined)
    .forEach((one, n) => addPrinted(data, section, one, chart.curves.length + n));
  return data;
}

/** The curves of a section; its table has their values. */
export function SectionChart({section}) {
  const data = useMemo(() => dataOf(section), [section]);
  if (!chartsAreBuiltIn) return null;
  const names = section.chart.curves.map(k => section.columns[k].head).join('; ');
  const about = data.bands.length ? `${names}. The band is the 95 % interval.` : `${names}.`;
  return html`<${Chart}
    title=${`${section.title}, as curves`}
    head=${`${section.title}, as curves`}
    about=${about}
    data=${data}
    onZoom=${nothing}
    observe=${nothing}
  />`;
}
