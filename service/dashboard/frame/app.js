// Where the dashboard begins: what is drawn into which part of index.html.
import {html, render} from '../vendor/preact.js';
import {showConnection, watchHealth} from './health.js';
import {Navigation} from './navigation.js';
import {Router} from './router.js';

const main = document.getElementById('main');
main.replaceChildren();
render(html`<${Navigation} />`, document.getElementById('nav'));
render(html`<${Router} main=${main} />`, main);
showConnection(document.getElementById('connection'));
watchHealth();

// The hash is the address of the page, so this link cannot use it.
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});
