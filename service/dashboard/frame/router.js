import {get} from '../lib/api.js';
import {useLoaded} from '../lib/use_loaded.js';
import {LoadedPage} from '../parts/notes.js';
import {html, useEffect, useErrorBoundary} from '../vendor/preact.js';
import {useAddress} from './address.js';
import {pageOf} from './pages.js';

const NoSuchPage = () => html`
  <h1>There is no such page</h1>
  <p><a href="#/">To the overview</a></p>
`;

const RENEWED = 'renewed'; // in sessionStorage: the address for which the document began anew

/** Loads the module of a page. A browser keeps the failure of an import as long as its document,
 * and a newer service has other modules: then the document begins anew, once. */
async function moduleOf(page) {
  try {
    const module = await page.load();
    sessionStorage.removeItem(RENEWED);
    return module;
  } catch (error) {
    await get('/healthz');
    const isAgain = sessionStorage.getItem(RENEWED) === location.href;
    sessionStorage.setItem(RENEWED, isAgain ? '' : location.href); // the user may ask once more
    if (isAgain) throw error;
    location.reload();
    return new Promise(() => {});
  }
}

/** Loads the module of a page and shows it; shows the error of a page that throws. */
function PageOf({page, args, query}) {
  const [broken, repair] = useErrorBoundary(reportError);
  const module = useLoaded(() => moduleOf(page), []);
  const loaded = broken ? {error: broken, reload: repair} : module;
  return html`<${LoadedPage} title=${page.title} loaded=${loaded}>
    ${({Page}) => html`<${Page} args=${args} query=${query} />`}
  <//>`;
}

/** The page of the address. Each address starts anew, with the focus on the page. */
export function Router({main}) {
  const {text, name, args, query} = useAddress(() => main.focus({preventScroll: true}));
  const page = pageOf(name);
  useEffect(() => {
    document.title = `${[page?.title ?? 'Not here', ...args].join(' ')} · rinkd`;
  }, [text]);
  if (!page) return html`<${NoSuchPage} />`;
  return html`<${PageOf} key=${text} page=${page} args=${args} query=${query} />`;
}
