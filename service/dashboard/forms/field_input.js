import {CheckBox, Select} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';
import {hasNumbers, inputOf} from './schema.js';

export const PLAYER_LIST = 'players'; // the id of the page's list of players
const PLAYER_FIELDS = ['a', 'b', 'player', 'anchor'];

function ChoiceInput({schema, text, onText, ...rest}) {
  const none = schema.default === undefined ? [''] : [];
  const values = [...none, ...schema.enum.map(String)];
  return html`<${Select} ...${rest} values=${values} value=${text} onSelect=${onText} />`;
}

const CheckInput = ({schema: _, text, onText, ...rest}) =>
  html`<${CheckBox} ...${rest} isOn=${text} onToggle=${onText} />`;

function ListInput({schema, text, onText, ...rest}) {
  const handlers = {value: text, onInput: ({target}) => onText(target.value)};
  return hasNumbers(schema)
    ? html`<input ...${rest} ...${handlers} type="text" placeholder="numbers" />`
    : html`<textarea ...${rest} ...${handlers} rows="3" placeholder="one a line"></textarea>`;
}

const TextInput = ({name, schema, text, onText, ...rest}) =>
  html`<input
    ...${rest}
    type="text"
    inputmode=${hasNumbers(schema) ? 'decimal' : null}
    list=${PLAYER_FIELDS.includes(name) ? PLAYER_LIST : null}
    placeholder=${schema.default === undefined ? null : `${schema.default}`}
    value=${text}
    onInput=${({target}) => onText(target.value)}
  />`;

const INPUTS = {choice: ChoiceInput, check: CheckInput, list: ListInput, text: TextInput};

/** The input for a field by its schema; onText(text): it was changed. */
export const FieldInput = props => html`<${INPUTS[inputOf(props.schema)]} ...${props} />`;
