import {number, words} from '../lib/format.js';
import {html} from '../vendor/preact.js';
import {FieldInput} from './field_input.js';
import {inputOf} from './schema.js';

const MAXIMUM_TOLD = 1e9; // larger bounds tell nobody anything

function helpOf({description = '', minimum, maximum}) {
  const isBounded = minimum !== undefined && maximum !== undefined && maximum <= MAXIMUM_TOLD;
  return isBounded ? `${description} (${number(minimum)} to ${number(maximum)})` : description;
}

/** A field with its label, its help and what is wrong with it. errors: messages by pointer. */
export function Field({field, form, errors}) {
  const {pointer, name, schema, isRequired} = field;
  const error = errors.get(pointer);
  const id = `f${pointer.replaceAll('/', '-')}`;
  return html`<div class=${inputOf(schema) === 'list' ? 'wide' : null}>
    <label for=${id}>${words(name)}${isRequired ? ' *' : ''}</label>
    <${FieldInput}
      id=${id}
      name=${name}
      schema=${schema}
      text=${form.textOf(field)}
      onText=${text => form.setText(field, text)}
      aria-describedby="${id}-help ${id}-error"
      aria-invalid=${error ? 'true' : null}
      spellcheck=${false}
      autocomplete="off"
    />
    <p class="help" id="${id}-help">${helpOf(schema)}</p>
    <p class="field-error" id="${id}-error" aria-live="polite">${error ?? ''}</p>
  </div>`;
}
