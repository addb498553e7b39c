import {useLoaded} from '../lib/use_loaded.js';
import {WaitingPage} from '../parts/waiting_page.js';
import {html, useEffect, useErrorBoundary} from '../vendor/preact.js';
import {useAddress} from './address.js';
import {pageOf} from './pages.js';

const NoSuchPage = () => html`
  <h1>There is no such page</h1>
  <p><a href="#/">To the overview</a></p>
`;

/** Loads the module of a page and shows it. A page that breaks shows what broke it. */
function LoadedPage({page, args, query}) {
  const [broken, repair] = useErrorBoundary(reportError);
  const module = useLoaded(() => page.load(), [page]);
  if (broken)
    return html`<${WaitingPage} title=${page.title} loaded=${{error: broken, reload: repair}} />`;
  if (!module.value) return html`<${WaitingPage} title=${page.title} loaded=${module} />`;
  return html`<${module.value.Page} args=${args} query=${query} />`;
}

/** The page of the address. Each address starts anew, with the focus on the page. */
export function Router({main}) {
  const {text, name, args, query} = useAddress(() => main.focus({preventScroll: true}));
  const page = pageOf(name);
  useEffect(() => {
    document.title = `${[page?.title ?? 'Not here', ...args].join(' ')} · rinkd`;
  }, [text]);
  if (!page) return html`<${NoSuchPage} />`;
  return html`<${LoadedPage} key=${text} page=${page} args=${args} query=${query} />`;
}
