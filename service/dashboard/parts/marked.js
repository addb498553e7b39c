import {html} from '../vendor/preact.js';

const MARK = /(`[^`]+`|\*[^*]+\*)/;

function piece(text) {
  if (text.startsWith('`')) return html`<code>${text.slice(1, -1)}</code>`;
  return text.startsWith('*') ? html`<em>${text.slice(1, -1)}</em>` : text;
}

/** A line of Markdown with code and emphasis. */
export const Marked = ({text}) => text.split(MARK).map(piece);
