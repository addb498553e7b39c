import {settingOf, stateOf} from '../curling/board.js';
import {post} from '../lib/api.js';
import {Fold} from '../parts/card.js';
import {CheckBox, Labelled} from '../parts/inputs.js';
import {ErrorBox, FieldErrors} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';

/** "freeze, last stone" as a list. */
export const tagsOf = text =>
  text
    .split(',')
    .map(tag => tag.trim())
    .filter(Boolean);

function Text({label, help, value, onText}) {
  return html`<${Labelled} label=${label} help=${help}>
    <input value=${value} onInput=${({target}) => onText(target.value)} />
  <//>`;
}

const EMPTY = {title: '', tags: '', note: '', puzzle: false};

/** A form that puts a position into the library. board: of it; best: the best shot that is known,
 * or null. */
export function KeepPosition({board, best = null}) {
  const [words, setWords] = useState(EMPTY);
  const [kept, setKept] = useState(null); // what was added last
  const [error, setError] = useState(null);
  const set = name => value => setWords(now => ({...now, [name]: value}));
  const keep = async event => {
    event.preventDefault();
    const {title, tags, note, puzzle} = words;
    const about = {title: title.trim(), tags: tagsOf(tags), note: note.trim(), puzzle};
    const position = {profile: board.profile, state: stateOf(board), setting: settingOf(board)};
    setError(null);
    try {
      setKept(await post('/v1/library', {...about, ...position, ...(best && {best})}));
      setWords(EMPTY);
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<${Fold} title="Keep this position in the library">
    <form onSubmit=${keep}>
      <div class="fields">
        <${Text} label="Title" value=${words.title} onText=${set('title')} />
        <${Text}
          label="Tags"
          help="separated by commas"
          value=${words.tags}
          onText=${set('tags')}
        />
        <${Text} label="Note" value=${words.note} onText=${set('note')} />
      </div>
      <p>
        <label>
          <${CheckBox} isOn=${words.puzzle} onToggle=${set('puzzle')} />
          ${' a puzzle: find the best shot'}
        </label>
      </p>
      <div class="buttons"><button disabled=${!words.title.trim()}>Keep it</button></div>
    </form>
    ${kept && html`<p role="status">Kept: <a href="#/library/${kept.id}">${kept.title}</a>.</p>`}
    ${error && html`<${ErrorBox} error=${error} />`}
    <${FieldErrors} errors=${error?.errors ?? []} />
  <//>`;
}
