import {words} from '../lib/format.js';
import {CheckBox} from '../parts/inputs.js';
import {html} from '../vendor/preact.js';
import {Field} from './field.js';
import {isGroup} from './schema.js';

/** An object inside another one; it is sent where it is required or its box is ticked. */
function InnerGroup({field, form, errors}) {
  const isWanted = form.isWanted(field);
  const box = html`<label>
    <${CheckBox} isOn=${isWanted} onToggle=${isOn => form.setWanted(field, isOn)} />
    ${` ${words(field.name)}`}
  </label>`;
  return html`<fieldset class="wide">
    <legend>${field.isRequired ? words(field.name) : box}</legend>
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
