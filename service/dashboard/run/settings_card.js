import {Card} from '../parts/card.js';
import {Properties} from '../parts/properties.js';
import {html} from '../vendor/preact.js';

/** What made the run: its spec, the versions of the programs, its tags. */
export const SettingsCard = ({run, title}) => html`<${Card} title=${title}>
  <${Properties} value=${run.spec} />
  <h3>Versions</h3>
  <${Properties} value=${run.versions} />
  ${
    Object.keys(run.tags).length > 0 &&
    html`<h3>Tags</h3>
      <${Properties} value=${run.tags} />`
  }
<//>`;
