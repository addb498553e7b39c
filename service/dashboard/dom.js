// Making elements, and how numbers, times and errors are written. Text that comes from anybody goes
// through here as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false)
      continue;
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked')
      element[name] = value;
    else
      element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element; attributes that start with "on" are listeners. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
/** The same in SVG. */
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export const empty = text => h('p', {class: 'empty'}, text);
export const loading = (text = 'loading …') => h('p', {class: 'loading', role: 'status'}, text);

/** A card with a heading and a place for what it shows. */
export function card(title, ...children) {
  const body = h('div', {}, ...children);
  const element = h('section', {class: 'card'}, title && h('h2', {}, title), body);
  return {element, body, set: (...nodes) => update(body, nodes)};
}

const labelOf = element => element.getAttribute('href') ?? element.getAttribute('aria-label') ?? element.textContent;

/** Puts the nodes in the place of what the element holds, so that a reader notices only what has
 * changed: what is the same stays, folds stay open, and the focus stays where it was. */
export function update(element, nodes) {
  const next = h('div', {}, nodes.flat(Infinity).filter(Boolean)), focus = document.activeElement;
  const open = new Set([...element.querySelectorAll('details[open] > summary')].map(labelOf));
  for (const summary of next.querySelectorAll('details > summary'))
    summary.parentElement.open = open.has(labelOf(summary));
  if (element.childNodes.length === next.childNodes.length && [...next.childNodes].every((node, k) => node.isEqualNode(element.childNodes[k])))
    return;
  const label = element.contains(focus) && focus !== element ? labelOf(focus) : null;
  element.replaceChildren(...next.childNodes);
  if (label !== null)
    [...element.querySelectorAll(focus.tagName)].find(one => labelOf(one) === label)?.focus({preventScroll: true});
}

/** What went wrong, in the words of the service. */
export function errorBox(error) {
  return h('div', {class: 'error', role: 'alert'}, h('b', {}, error.title ?? 'Something went wrong'), ': ',
    error.detail ?? (error.title ? '' : error.message),
    error.instance && h('div', {class: 'small dim'}, `request ${error.instance}`));
}

/** Columns of numbers have a "#" before their heads. className "stack": where it is narrow, rows stand
 * as blocks, their numbers with the heads beside them. */
export function table(heads, rows, className) {
  const head = heads.map(text => text ? h('th', {scope: 'col', class: text.startsWith('#') ? 'number' : null}, text.replace(/^#/, '')) : h('td', {}));
  const body = rows.map(row => h('tr', {}, row.map((cell, k) =>
    cell?.tagName === 'TD' ? cell : h('td', heads[k].startsWith('#') ? {class: 'number', 'data-head': heads[k].slice(1)} : {}, cell ?? '–'))));
  return h('div', {class: 'scroll'}, h('table', {class: className}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, body)));
}

export const stateBadge = state => h('span', {class: `state ${state}`}, STATES[state] ?? state);
export const STATES = {ready: 'waiting', leased: 'running', paused: 'paused', done: 'done', buried: 'failed', cancelled: 'cancelled'};

export function number(value, digits = 3) {
  if (typeof value !== 'number')
    return value === null || value === undefined ? '–' : String(value);
  if (Number.isInteger(value))
    return value.toLocaleString('en');
  const size = Math.abs(value);
  return size >= 1e9 || (size < 1e-3 && size > 0) ? value.toExponential(2)
    : value.toLocaleString('en', {maximumSignificantDigits: size >= 1000 ? 6 : Math.max(digits, 1) + (size >= 100 ? 1 : 0)});
}

export const percent = (value, digits = 1) => value === null || value === undefined ? '–' : `${(100 * value).toFixed(digits)} %`;

export function duration(seconds) {
  if (seconds === null || seconds === undefined)
    return '–';
  if (seconds < 1)
    return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60)
    return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : minutes < 2880 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.round(minutes / 1440)} d`;
}

export function when(text) {
  if (!text)
    return '–';
  const time = new Date(text), ago = (Date.now() - time) / 1000;
  const words = ago < 5 ? 'now' : ago < 86400 ? `${duration(ago)} ago` : time.toLocaleDateString();
  return h('time', {datetime: text, title: time.toLocaleString()}, words);
}

/** A player for people: hashes and ids of runs are cut to their first digits. */
export const playerName = text => text?.replace(/[0-9a-f]{32,64}/g, id => `${id.slice(0, 8)}…`);

/** How long the games of a match, a job or a ladder are. */
export const gameLength = ({ends, extra_ends: extra}) => `${ends} ${ends === 1 ? 'end' : 'ends'}${extra ? ` and up to ${extra} extra` : ''}`;
/** An end by its number from 0, in games of so many. */
export const endName = (end, ends) => end < ends ? `end ${end + 1}` : `extra end ${end - ends + 1}`;

/** What a job is about, in a line. */
export function jobWords(kind, spec) {
  if (!spec)
    return kind;
  const ends = spec.ends ? `, ${gameLength(spec)}` : '';
  switch (kind) {
  case 'match': return `${playerName(spec.a)} against ${playerName(spec.b)} (${spec.profile}, ${number(spec.pairs)} pairs${ends})`;
  case 'tournament': return `${playerName(spec.players?.join(', '))} (${spec.profile}, ${number(spec.pairs)} pairs each${ends})`;
  case 'exploitability': return `of ${playerName(spec.player)} (${spec.profile}, ${number(spec.ends)} ends)`;
  case 'diagnose': return `this machine, ${spec.seconds} s (${spec.profile})`;
  case 'rate': return `of all matches (${spec.profile}${ends})`;
  case 'train': return [spec.algorithm, spec.reward, spec.profile, spec.iterations && `${number(spec.iterations)} ends`, spec.seeds?.length > 1 && `${spec.seeds.length} seeds`, spec.from && `from ${spec.from.run.slice(0, 8)}`].filter(Boolean).join(', ');
  default: return '';
  }
}

/** Any JSON as nested lists; long lists in short. */
export function properties(value) {
  if (Array.isArray(value))
    return value.every(item => item === null || typeof item !== 'object')
      ? value.map(item => number(item)).join(', ') || '–'
      : h('ol', {}, value.map(item => h('li', {}, properties(item))));
  if (value && typeof value === 'object' && Object.keys(value).length === 0)
    return '–';
  if (value && typeof value === 'object')
    return h('dl', {}, Object.entries(value).map(([name, item]) => [h('dt', {}, name.replaceAll('_', ' ')), h('dd', {}, properties(item))]));
  return value === true ? 'yes' : value === false ? 'no' : number(value);
}

export const fold = (title, ...children) => h('details', {}, h('summary', {}, title), ...children);

/** Gives the browser a file to save. */
export function save(name, blob) {
  const link = h('a', {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Asks before something that cannot be undone. */
export function confirmed(question, action) {
  return new Promise(resolve => {
    const dialog = h('dialog', {onclose: () => { resolve(dialog.returnValue === 'yes'); dialog.remove(); }},
      h('form', {method: 'dialog'}, h('h2', {}, question),
        h('div', {class: 'buttons'}, h('button', {value: 'no', autofocus: true}, 'Keep it as it is'),
          h('button', {value: 'yes', class: 'danger'}, action))));
    document.body.append(dialog);
    dialog.showModal();
  });
}
