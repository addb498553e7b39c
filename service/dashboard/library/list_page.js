import {boardFrom} from '../curling/board.js';
import {Marks} from '../curling/marks.js';
import {Sheet} from '../curling/sheet.js';
import {query} from '../lib/api.js';
import {usePages} from '../lib/use_pages.js';
import {CheckBox} from '../parts/inputs.js';
import {Loaded} from '../parts/notes.js';
import {When} from '../parts/cells.js';
import {html} from '../vendor/preact.js';

const POLL_MS = 10000;
const NOTHING = html`Nothing is kept here. The <a href="#/board">board</a> and the pages of reviews
  have a button that keeps a position.`;

const marks = new Marks(); // of pictures: always empty

const addressOf = choice => `#/library${query(choice)}`;

const Tag = ({tag}) => html`<a class="tag" href=${addressOf({tag})}>${tag}</a>`;

function Position({position}) {
  const {id, title, tags, note, puzzle, profile, owner, created_at: at} = position;
  return html`<li class="card kept" key=${id}>
    <a class="picture" href="#/library/${id}" tabindex="-1" aria-hidden="true">
      <${Sheet} stones=${boardFrom(position, profile).stones} marks=${marks} />
    </a>
    <div>
      <h2><a href="#/library/${id}">${title}</a></h2>
      <p>
        ${puzzle && html`<span class="state ready">puzzle</span> `}
        ${tags.map(tag => html`<${Tag} key=${tag} tag=${tag} /> `)}
      </p>
      <p class="note-text">${note}</p>
      <p class="dim small">${`${profile}, ${owner ? `${owner}, ` : ''}`}<${When} at=${at} /></p>
    </div>
  </li>`;
}

/** All positions, those with a tag, or the puzzles. */
export function ListPage({tag, puzzles}) {
  const {items, error, more} = usePages(
    '/v1/library',
    {tag, puzzle: puzzles ? 'true' : null},
    POLL_MS,
  );
  const go = isOn => {
    location.hash = addressOf({tag, puzzles: isOn ? '1' : null});
  };
  return html`
    <h1>Library</h1>
    <div class="toolbar">
      <label><${CheckBox} isOn=${puzzles} onToggle=${go} /> only puzzles</label>
      ${
        tag &&
        html`<span>
          with the tag <b>${tag}</b>
          ${' '}<a href=${addressOf({puzzles: puzzles ? '1' : null})}>all tags</a>
        </span>`
      }
    </div>
    <${Loaded} value=${items} error=${error} nothing=${NOTHING}>
      ${list => html`<ul class="library">
        ${list.map(position => html`<${Position} key=${position.id} position=${position} />`)}
      </ul>`}
    <//>
    <button hidden=${!more} onClick=${more}>More</button>
  `;
}
