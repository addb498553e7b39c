// The kinds of inputs: each with its component, its first text, and the value of its text.
import {CheckBox, Select} from '../parts/inputs.js';
import {PLAYER_LIST} from '../parts/player_list.js';
import {html} from '../vendor/preact.js';
import {hasNumbers, inputOf} from './schema.js';

/** A text that is not a number goes to the service as it is, and the service says so. */
const asNumber = text => (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text);

function listFrom(text, schema) {
  const isNumbers = hasNumbers(schema);
  const items = text.split(isNumbers ? /[\s,]+/ : '\n').map(item => item.trim());
  const list = items.filter(Boolean).map(item => (isNumbers ? asNumber(item) : item));
  return list.length || schema.minItems === 0 ? list : undefined;
}

function scalarFrom(text, schema) {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return hasNumbers(schema) ? asNumber(trimmed) : trimmed;
}

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

/** A text; the schema's examples or, for a player, the known players are offered. */
function TextInput({schema, text, onText, ...rest}) {
  const examples = schema.examples && `${rest.id}-examples`;
  const input = html`<input
    ...${rest}
    type="text"
    inputmode=${hasNumbers(schema) ? 'decimal' : null}
    list=${examples ?? (schema.format === 'player' ? PLAYER_LIST : null)}
    placeholder=${schema.default === undefined ? null : `${schema.default}`}
    value=${text}
    onInput=${({target}) => onText(target.value)}
  />`;
  const option = value => html`<option value=${value} />`;
  return examples
    ? html`${input}<datalist id=${examples}>${schema.examples.map(option)}</datalist>`
    : input;
}

// Input: a component. first(value, schema): its text for a value. valueOf(text, schema): undefined
// where nothing is said.
const INPUTS = {
  choice: {
    Input: ChoiceInput,
    first: value => `${value ?? ''}`,
    valueOf: (text, schema) => schema.enum.find(one => `${one}` === text),
  },
  check: {Input: CheckInput, first: value => value === true, valueOf: isOn => isOn},
  list: {
    Input: ListInput,
    first: (value, schema) => (value ?? []).join(hasNumbers(schema) ? ', ' : '\n'),
    valueOf: listFrom,
  },
  text: {Input: TextInput, first: value => `${value ?? ''}`, valueOf: scalarFrom},
};
const kindOf = schema => INPUTS[inputOf(schema)];

/** The first text of a field; `given`: a value to begin with, or undefined. A text field shows its
 * default as placeholder instead. */
export const initialText = (schema, given) =>
  kindOf(schema).first(inputOf(schema) === 'text' ? given : (given ?? schema.default), schema);

/** The value of a field, or undefined if it is empty. */
export const valueOf = (text, schema) => kindOf(schema).valueOf(text, schema);

/** The input for a field by its schema; onText(text) is called on each change. */
export const FieldInput = props => html`<${kindOf(props.schema).Input} ...${props} />`;
