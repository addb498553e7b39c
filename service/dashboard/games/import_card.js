// Logs of games that were played elsewhere: chosen, or dropped on the card.
import {postFile} from '../lib/api.js';
import {ErrorBox} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';

const skippedWords = skipped =>
  skipped.length
    ? `; left out: ${skipped.map(({line, why}) => `line ${line} (${why})`).join(', ')}`
    : '';

const Game = id => html`, game <a href=${`#/games/${id.split('-')[0]}/${id}`}>${id}</a>`;

/** What became of a file; the games of one that was sent before are there already. */
const Sent = ({name, error, answer}) => html`
  <li>
    ${name}: ${error && html`<${ErrorBox} error=${error} />`}
    ${answer && html`<a href=${`#/job/${answer.job}`}>job ${answer.job}</a>`}
    ${answer?.games.map(Game)} ${answer && skippedWords(answer.skipped)}
  </li>
`;

async function send(file) {
  try {
    return {name: file.name, answer: await postFile('/v1/games', file)};
  } catch (error) {
    return {name: file.name, error};
  }
}

/** Takes logs of Digital Curling 3 and 4, one game a file. */
export function ImportCard() {
  const [sent, setSent] = useState([]);
  const take = async files => {
    for (const file of [...files]) {
      const entry = await send(file);
      setSent(list => [...list, entry]);
    }
  };
  const drop = event => {
    event.preventDefault();
    take(event.dataTransfer.files);
  };
  return html`
    <section class="card tool" onDragOver=${event => event.preventDefault()} onDrop=${drop}>
      <h2>Games from elsewhere</h2>
      <p>
        <label>
          Drop logs of Digital Curling 3 or 4 here, or records of rinkd, one file for each game. Or
          choose them:${' '}
          <input type="file" multiple onChange=${({target}) => take(target.files)} />
        </label>
      </p>
      ${
        sent.length > 0 &&
        html`<ul>
          ${sent.map((entry, k) => html`<${Sent} key=${k} ...${entry} />`)}
        </ul>`
      }
    </section>
  `;
}
