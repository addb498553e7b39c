// The entry of the dashboard: draws the navigation and the page into index.html.
import {html, render} from '../vendor/preact.js';
import {useAddress} from './address.js';
import {Caller} from './caller.js';
import {showConnection, watchHealth} from './health.js';
import {pageOf, PAGES} from './pages.js';
import {Router} from './router.js';

/** The links in the header. */
function Navigation() {
  const {name} = useAddress();
  const marked = pageOf(name)?.under ?? name;
  const links = Object.entries(PAGES).filter(([, page]) => page.menu);
  return links.map(
    ([address, {title}]) =>
      html`<a href="#/${address}" aria-current=${address === marked ? 'page' : null}>${title}</a>`,
  );
}

const main = document.getElementById('main');
main.replaceChildren();
render(html`<${Navigation} />`, document.getElementById('nav'));
render(html`<${Caller} />`, document.getElementById('caller'));
render(html`<${Router} main=${main} />`, main);
showConnection(document.getElementById('connection'));
watchHealth();

// The hash names the page, so this link cannot use it.
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});
