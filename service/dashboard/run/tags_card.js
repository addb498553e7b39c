import {patch} from '../lib/api.js';
import {Card} from '../parts/card.js';
import {Labelled} from '../parts/inputs.js';
import {ErrorBox} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';

const TAG_MAX = 200; // bytes, as the service has it

/** The tags of a run; they can be added, changed and removed. A tag "note" is a note. */
export function TagsCard({run, title}) {
  const [tags, setTags] = useState(run.tags);
  const [problem, setProblem] = useState(null);
  const send = async changes => {
    try {
      setTags((await patch(`/v1/runs/${run.id}`, {tags: changes})).tags);
      setProblem(null);
    } catch (error) {
      setProblem(error);
    }
  };
  const add = event => {
    event.preventDefault();
    const {name, text} = event.target.elements;
    send({[name.value.trim()]: text.value.trim()}).then(() => event.target.reset());
  };
  const row = ([name, text]) => html`<li key=${name}>
    <b>${name}</b>: ${text}${' '}
    <button aria-label="remove tag ${name}" onClick=${() => send({[name]: null})}>×</button>
  </li>`;
  return html`<${Card} title=${title} isTool=${!Object.keys(tags).length}>
    <ul>${Object.entries(tags).map(row)}</ul>
    <form class="fields tool" onSubmit=${add}>
      <${Labelled} label="Tag"><input name="name" required value="note" maxlength="64" /><//>
      <${Labelled} label="Text"><input name="text" required maxlength=${TAG_MAX} /><//>
      <div class="buttons"><button>Set the tag</button></div>
    </form>
    ${problem && html`<${ErrorBox} error=${problem} />`}
  <//>`;
}
