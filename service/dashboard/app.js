// The frame around the pages: which page the address names, and whether the service is there.
import {get, setConnection, watchConnection} from './api.js';
import {errorBox, h, loading} from './dom.js';

// "#/job/7" is the page job with the argument "7"; modules are loaded when they are first needed.
const pages = {
  '': {title: 'Overview', load: () => import('./page_overview.js')},
  job: {title: 'Job', load: () => import('./page_job.js')},
  runs: {title: 'Runs', load: () => import('./page_runs.js')},
  run: {title: 'Run', load: () => import('./page_run.js'), under: 'runs'},
  new: {title: 'New job', load: () => import('./page_new.js')},
  ladder: {title: 'Ladder', load: () => import('./page_ladder.js')},
  board: {title: 'Board', load: () => import('./page_board.js')},
  games: {title: 'Games', load: () => import('./page_games.js')},
};

let leave = new AbortController();

/** A page's show(root, page) gets: args (of the address), query, and signal, which aborts when the
 * user goes elsewhere; every(ms, f) calls f now and again until then, and after a restart of the
 * service. */
async function go(focus) {
  leave.abort();
  leave = new AbortController();
  const signal = leave.signal, main = document.getElementById('main');
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, ...args] = path.split('/').map(decodeURIComponent);
  const entry = Object.hasOwn(pages, name) ? pages[name] : null;

  document.title = `${[entry?.title ?? 'Not here', ...args].join(' ')} · rinkd`;
  for (const link of document.querySelectorAll('nav a')) {
    const own = link.getAttribute('href').replace(/^#\/?/, '');
    if (own === (entry?.under ?? name))
      link.setAttribute('aria-current', 'page');
    else
      link.removeAttribute('aria-current');
  }
  if (!entry) {
    main.replaceChildren(h('h1', {}, 'There is no such page'), h('p', {}, h('a', {href: '#/'}, 'To the overview')));
    return;
  }
  main.replaceChildren(loading());
  if (focus)
    main.focus({preventScroll: true});
  try {
    const module = await entry.load();
    if (signal.aborted)
      return;
    const root = h('div', {});
    main.replaceChildren(root);
    await module.show(root, {args, query: new URLSearchParams(search), signal, every: (ms, f) => every(ms, f, signal)});
  } catch (error) {
    if (!signal.aborted)
      main.replaceChildren(h('h1', {}, entry.title), errorBox(error), h('p', {}, h('button', {onclick: () => go(false)}, 'Try again')));
  }
}

function every(ms, f, signal) {
  let timer, busy = false;
  const run = async () => {
    clearTimeout(timer);
    if (busy || signal.aborted)
      return;
    busy = true;
    try {
      await f();
    } catch (error) {
      if (error.name !== 'AbortError' && error.status === undefined)
        throw error;
    } finally {
      busy = false;
      if (!signal.aborted)
        timer = setTimeout(run, document.hidden ? 5 * ms : ms);
    }
  };
  watchConnection((now, returned) => returned && run(), signal);
  signal.addEventListener('abort', () => clearTimeout(timer));
  run();
  return run;
}

async function checkHealth() {
  try {
    await get('/readyz');
    setConnection('ready', 'ready');
  } catch (error) {
    if (error.status)
      setConnection('waiting', error.detail ?? error.title);
  }
  setTimeout(checkHealth, document.getElementById('connection').dataset.state === 'lost' ? 1000 : 5000);
}

watchConnection(({state, text}) => {
  const element = document.getElementById('connection');
  element.dataset.state = state;
  if (element.textContent !== text)
    element.textContent = text;
});
addEventListener('hashchange', () => go(true));
// The hash is the address of the page, so the link cannot use it.
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  document.getElementById('main').focus();
});
checkHealth();
go(false);
