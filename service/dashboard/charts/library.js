// uPlot, fetched when a page first draws. A rinkd that was built without it says so.
export const chartsAreBuiltIn = document.documentElement.dataset.charts !== 'none';

const folder = new URL('../vendor/', import.meta.url);
let loading = null;

function addToHead(tag, attributes) {
  return document.head.appendChild(Object.assign(document.createElement(tag), attributes));
}

/** Resolves to uPlot. */
export function loadCharts() {
  loading ??= new Promise((resolve, reject) => {
    const onerror = () => {
      loading = null;
      reject(new Error('the chart library could not be loaded'));
    };
    const onload = () => resolve(window.uPlot);
    addToHead('link', {rel: 'stylesheet', href: new URL('uPlot.min.css', folder).href});
    addToHead('script', {src: new URL('uPlot.iife.min.js', folder).href, onload, onerror});
  });
  return loading;
}
