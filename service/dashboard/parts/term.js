import {meaningOf, wordAddress} from '../lib/glossary.js';
import {html, useEffect, useRef, useState} from '../vendor/preact.js';
import {Marked} from './marked.js';

const EDGE_PX = 8; // between the explanation and the window
const WIDTH_PX = 320;

/** Where the explanation stands: below its word, within the window. */
function placeBelow(element) {
  const {left, bottom, top} = element.getBoundingClientRect();
  const most = document.documentElement.clientWidth - WIDTH_PX - EDGE_PX;
  const height = document.documentElement.clientHeight;
  const isLow = bottom > 0.75 * height;
  const upright = isLow ? {bottom: `${height - top + 4}px`} : {top: `${bottom + 4}px`};
  return {left: `${Math.max(Math.min(left, most), EDGE_PX)}px`, ...upright};
}

const closesOnEscape = close => event => event.key === 'Escape' && close();

/** Closes on Escape, on a click elsewhere, and when the page moves. It listens from the next frame
 * on: a word that gets the focus may scroll the page first. */
function useClosing(place, isOpen, close) {
  useEffect(() => {
    if (!isOpen) return undefined;
    const key = closesOnEscape(close);
    const press = event => place.current?.contains(event.target) || close();
    const controller = new AbortController();
    const {signal} = controller;
    addEventListener('keydown', key, {signal});
    addEventListener('pointerdown', press, {signal});
    addEventListener('scroll', close, {signal, capture: true, passive: true});
    addEventListener('resize', close, {signal});
    return () => controller.abort();
  }, [isOpen]);
}

/** A word that can be asked about: by pointing at it, with the keys, or by a tap. word: of the
 * glossary; children: how it stands here. */
export function Term({word, children}) {
  const place = useRef(null);
  const [shown, setShown] = useState(null); // {row, at}
  const close = () => setShown(null);
  const show = async () => {
    const row = await meaningOf(word).catch(() => null);
    if (row && place.current) setShown({row, at: placeBelow(place.current)});
  };
  const leave = ({currentTarget, relatedTarget}) =>
    currentTarget.contains(relatedTarget) || close();
  useClosing(place, Boolean(shown), close);
  const key = closesOnEscape(close); // of who is quicker than the next frame
  return html`<span
    class="term"
    ref=${place}
    onMouseLeave=${close}
    onBlurCapture=${leave}
    onKeyDown=${key}
  >
    <button
      type="button"
      aria-expanded=${String(Boolean(shown))}
      aria-label=${children === '?' ? `what “${word}” means` : null}
      onMouseEnter=${show}
      onFocus=${show}
      onClick=${show}
    >
      ${children ?? word}
    </button>
    ${
      shown &&
      html`<span class="meaning" role="status" style=${shown.at}>
        <b>${shown.row.word}</b>: <${Marked} text=${shown.row.meaning} />.${' '}
        <a href=${wordAddress(word)}>All words</a>
      </span>`
    }
  </span>`;
}
