import {post} from '../lib/api.js';
import {html, useState} from '../vendor/preact.js';

const MOST = 2 ** 53 - 1; // whole numbers beyond are not exact here

/** The field of a spec that holds its seeds: "seed", "seeds", or null. */
const seedField = spec => ['seed', 'seeds'].find(name => name in spec) ?? null;

/** A button that adds the job again, with another seed. onProblem(error or null). */
export function RepeatButton({job, onProblem}) {
  const field = seedField(job.spec);
  const last = field && [job.spec[field]].flat().at(-1);
  const [seed, setSeed] = useState(String((last ?? 0) + 1));
  const [isBusy, setBusy] = useState(false);
  const repeat = async event => {
    event.preventDefault();
    setBusy(true);
    onProblem(null);
    const value = field === 'seeds' ? [Number(seed)] : Number(seed);
    try {
      const {id} = await post(
        `/v1/jobs/${job.id}/repeat`,
        field && seed !== '' ? {spec: {[field]: value}} : {},
      );
      location.hash = `#/job/${id}`;
    } catch (error) {
      onProblem(error);
    }
    setBusy(false);
  };
  return html`<form class="buttons" onSubmit=${repeat}>
    ${
      field &&
      html`<label class="small">Seed${' '}
        <input
          type="number"
          min="0"
          max=${MOST}
          value=${seed}
          onInput=${({target}) => setSeed(target.value)}
        />
      </label>`
    }
    <button disabled=${isBusy}>Repeat</button>
  </form>`;
}
