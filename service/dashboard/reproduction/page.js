// What papers printed, beside what was measured here ("#/reproduction"): api/reproduction.json.
import {get} from '../lib/api.js';
import {day} from '../lib/format.js';
import {useLoaded} from '../lib/use_loaded.js';
import {LoadedPage} from '../parts/notes.js';
import {html} from '../vendor/preact.js';
import {SectionCard} from './section_card.js';

const GATES = 'gates'; // first: they tell what is reached
const isGates = ({id}) => id === GATES;

/** The sections of a paper under its name; those that are a group of their own have none. */
function Group({name, sections}) {
  const isNamed = sections.some(({title}) => title !== name);
  return html`
    ${isNamed && html`<h2 class="group">${name}</h2>`}
    ${sections.map(section => html`<${SectionCard} key=${section.id} section=${section} />`)}
  `;
}

/** [[group, sections]] in their order, the gates first. */
function groupsOf(sections) {
  const ordered = [...sections.filter(isGates), ...sections.filter(one => !isGates(one))];
  const names = [...new Set(ordered.map(({group}) => group))];
  return names.map(name => [name, ordered.filter(({group}) => group === name)]);
}

const Results = ({results: {date, machine, sections}}) => html`
  <h1>Published results</h1>
  <p class="dim">
    What papers on digital curling printed, and what was measured with the players and trainings
    of this service. Last measured on ${day(new Date(date))}, on ${machine}. What is below a table
    repeats it: a command, or a new job.
  </p>
  <div class="published">
    ${groupsOf(sections).map(
      ([name, list]) => html`<${Group} key=${name} name=${name} sections=${list} />`,
    )}
  </div>
`;

export function Page() {
  const loaded = useLoaded(signal => get('/v1/reproduction', {signal}), []);
  return html`<${LoadedPage} title="Published results" loaded=${loaded}>
    ${results => html`<${Results} results=${results} />`}
  <//>`;
}
