import {boardFrom, stateOf} from '../curling/board.js';
import {Fold} from '../parts/card.js';
import {html, useEffect, useRef, useState} from '../vendor/preact.js';

const EXAMPLE = '{"end":3,"shot":9,"hammer":"team1","scores":…,"stones":…}';
const DIGITS = 1e4; // a tenth of a millimetre

const rounded = (key, value) =>
  typeof value === 'number' ? Math.round(value * DIGITS) / DIGITS : value;

/** The position as a state of Digital Curling, to paste or to copy. */
export function PasteState({session}) {
  const [text, setText] = useState('');
  const [isWritten, setWritten] = useState(false);
  const area = useRef(null);
  const take = () => {
    try {
      const board = boardFrom(JSON.parse(text), session.state.board.profile);
      session.set({error: null});
      session.edit(board);
    } catch (error) {
      session.set({error: {title: 'This cannot be read', detail: error.message}});
    }
  };
  const write = () => {
    setText(JSON.stringify(stateOf(session.state.board), rounded));
    setWritten(true);
  };
  useEffect(() => {
    if (isWritten) area.current.select();
    setWritten(false);
  }, [isWritten]);
  return html`<${Fold} title="Paste a state of Digital Curling">
    <textarea
      ref=${area}
      aria-label="update.state of Digital Curling"
      placeholder=${EXAMPLE}
      spellcheck=${false}
      value=${text}
      onInput=${({target}) => setText(target.value)}
    ></textarea>
    <div class="buttons">
      <button onClick=${take}>Take it</button>
      <button onClick=${write}>Write this position here</button>
    </div>
  <//>`;
}
