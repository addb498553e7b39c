// Positions that people keep ("#/library"), and one of them as a puzzle or to open ("#/library/7").
import {html} from '../vendor/preact.js';
import {ListPage} from './list_page.js';
import {PositionPage} from './position_page.js';

export function Page({args: [id], query}) {
  if (id) return html`<${PositionPage} id=${id} />`;
  return html`<${ListPage} tag=${query.get('tag')} puzzles=${query.has('puzzles')} />`;
}
