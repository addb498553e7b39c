// All words ("#/glossary"), or at one of them ("#/glossary/hammer").
import {loadGlossary} from '../lib/glossary.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {LoadedPage} from '../parts/notes.js';
import {Marked} from '../parts/marked.js';
import {html, useEffect, useRef} from '../vendor/preact.js';

function Word({row: {word, names, meaning}, asked}) {
  const place = useRef(null);
  const isAsked = names.includes(asked);
  useEffect(() => {
    if (isAsked) place.current.scrollIntoView({block: 'center'});
  }, [isAsked]);
  return html`
    <dt ref=${place} aria-current=${isAsked ? 'true' : null}>${word}</dt>
    <dd><${Marked} text=${meaning} /></dd>
  `;
}

const Section = ({section: {title, words}, asked}) => html`<${Card} title=${title}>
  <dl>${words.map(row => html`<${Word} row=${row} asked=${asked} />`)}</dl>
<//>`;

export function Page({args: [asked = '']}) {
  const loaded = useLoaded(loadGlossary, []);
  const name = asked.toLowerCase();
  return html`<${LoadedPage} title="Words" loaded=${loaded}>
    ${sections => html`
      <h1>Words</h1>
      <p class="dim">One word for one thing, on these pages, in the contract and in the manual.</p>
      <div class="words">
        ${sections.map(section => html`<${Section} section=${section} asked=${name} />`)}
      </div>
    `}
  <//>`;
}
