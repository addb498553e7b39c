// The texts of a form. They are kept apart from the inputs, so that fields that a choice hides come
// back as they were.
import {useState} from '../vendor/preact.js';
import {initialText, valueOf} from './field_input.js';
import {choicesOf, fieldsOf, isGroup} from './schema.js';

/** Identifies a field by its place and its schema. */
const keyOf = ({pointer, schema}) => `${pointer} ${JSON.stringify(schema)}`;

class Form {
  #texts;
  #set;

  constructor(texts, set) {
    this.#texts = texts;
    this.#set = set;
  }

  /** A field is {pointer, name, schema, given, isRequired}. */
  textOf(field) {
    return this.#texts.get(keyOf(field)) ?? initialText(field.schema, field.given);
  }

  isTouched(field) {
    return this.#texts.has(keyOf(field));
  }

  setText(field, text) {
    this.#set(before => new Map(before).set(keyOf(field), text));
  }

  /** Whether an inner object is sent: it is required, or its box is ticked. */
  isWanted({pointer, given, isRequired}) {
    return isRequired || (this.#texts.get(pointer) ?? given !== undefined);
  }

  setWanted({pointer}, isWanted) {
    this.#set(before => new Map(before).set(pointer, isWanted));
  }

  /** The fields of an object, by the choices that are made in it. */
  fields({pointer, schema, given}) {
    const withValues = values =>
      Object.entries(fieldsOf(schema, values)).map(([name, one]) => ({
        pointer: `${pointer}/${name}`,
        name,
        schema: one,
        given: given?.[name],
        isRequired: (schema.required ?? []).includes(name),
      }));
    const choices = choicesOf(schema);
    const read = fields => fields.filter(({name}) => choices.includes(name)).map(this.#entry);
    return withValues(Object.fromEntries(read(withValues({}))));
  }

  /** The fields inside an object, at any depth, that are shown. */
  allFields(group) {
    return this.fields(group).flatMap(field => {
      if (!isGroup(field.schema)) return [field];
      return this.isWanted(field) ? this.allFields(field) : [];
    });
  }

  /** The content of the form as JSON. */
  read(group) {
    const isSaid = ([, value]) => value !== undefined;
    return Object.fromEntries(this.fields(group).map(this.#entry).filter(isSaid));
  }

  #entry = field => [field.name, this.#valueOf(field)];

  #valueOf(field) {
    if (!isGroup(field.schema)) return valueOf(this.textOf(field), field.schema);
    return this.isWanted(field) ? this.read(field) : undefined;
  }
}

/** The form of a component; it is drawn again with each change. */
export function useForm() {
  const [texts, setTexts] = useState(new Map());
  return new Form(texts, setTexts);
}
