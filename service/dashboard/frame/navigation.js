import {html} from '../vendor/preact.js';
import {useAddress} from './address.js';
import {pageOf, PAGES} from './pages.js';

/** The links in the header. */
export function Navigation() {
  const {name} = useAddress();
  const marked = pageOf(name)?.under ?? name;
  const links = Object.entries(PAGES).filter(([, page]) => page.menu);
  return links.map(
    ([address, {title}]) =>
      html`<a href="#/${address}" aria-current=${address === marked ? 'page' : null}>${title}</a>`,
  );
}
