import {capital, fieldWords, number} from '../lib/format.js';
import {CheckBox} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';
import {Term} from '../parts/term.js';
import {FieldInput} from './field_input.js';
import {inputOf, isGroup} from './schema.js';

const MAXIMUM_TOLD = 1e9; // larger bounds are not worth showing
const HELP_MOST = 160; // letters beside other fields

// The words of the glossary for names of fields.
const WORDS = {
  ...{anchor: 'anchor', hyper: 'hyper', luck: 'luck', noise: 'hand', pairs: 'pair'},
  ...{profile: 'profile', reward: 'SER', sprt: 'SPRT', extra_ends: 'extra end'},
};

function helpOf({description = '', minimum, maximum}) {
  const isBounded = minimum !== undefined && maximum !== undefined && maximum <= MAXIMUM_TOLD;
  return isBounded ? `${description} (${number(minimum)} to ${number(maximum)})` : description;
}

/** Whether a field takes a row of its own: lists, players, whose settings make them long, and those
 * that need many words. */
const isLong = schema =>
  inputOf(schema) === 'list' ||
  schema.format?.endsWith('player') ||
  (schema.description ?? '').length > HELP_MOST;

/** A field with its label, its help and its error. errors: messages by pointer. */
function Field({field, form, errors}) {
  const {pointer, name, schema, isRequired} = field;
  const error = errors.get(pointer);
  const id = `f${pointer.replaceAll('/', '-')}`;
  return html`<div class=${isLong(schema) ? 'asked wide' : 'asked'}>
    <label for=${id}>${fieldWords(name)}${isRequired ? ' *' : ''}</label>
    ${WORDS[name] && html`${' '}<${Term} word=${WORDS[name]}>?<//>`}
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

/** An inner object; it is sent if it is required or its box is ticked. */
function InnerGroup({field, form, errors}) {
  const isWanted = form.isWanted(field);
  const box = html`<label>
    <${CheckBox} isOn=${isWanted} onToggle=${isOn => form.setWanted(field, isOn)} />
    ${` ${capital(fieldWords(field.name))}`}
  </label>`;
  return html`<fieldset class="wide">
    <legend>
      ${field.isRequired ? capital(fieldWords(field.name)) : box}
      ${WORDS[field.name] && html`${' '}<${Term} word=${WORDS[field.name]}>?<//>`}
    </legend>
    <p class="help">${field.schema.description}</p>
    ${isWanted && html`<${FieldGroup} group=${field} form=${form} errors=${errors} />`}
  </fieldset>`;
}

/** The fields of an object {pointer, schema, given}. Those that depend on a choice come and go with
 * it. errors: messages by pointer. */
export function FieldGroup({group, form, errors}) {
  const draw = field => {
    const Kind = isGroup(field.schema) ? InnerGroup : Field;
    return html`<${Kind} key=${field.pointer} field=${field} form=${form} errors=${errors} />`;
  };
  return html`<div class="fields">${form.fields(group).map(draw)}</div>`;
}
