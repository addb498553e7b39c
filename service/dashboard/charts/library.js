// uPlot, fetched when a page first draws. A rinkd that was built without it says so.
import {once} from '../lib/once.js';

export const chartsAreBuiltIn = document.documentElement.dataset.charts !== 'none';

const folder = new URL('../vendor/', import.meta.url);

function addToHead(tag, attributes) {
  return document.head.appendChild(Object.assign(document.createElement(tag), attributes));
}

/** Resolves to uPlot. */
export const loadCharts = once(
  () =>
    new Promise((resolve, reject) => {
      const onerror = () => reject(new Error('the chart library could not be loaded'));
      const onload = () => resolve(window.uPlot);
      addToHead('link', {rel: 'stylesheet', href: new URL('uPlot.min.css', folder).href});
      addToHead('script', {src: new URL('uPlot.iife.min.js', folder).href, onload, onerror});
    }),
);
