import {post} from '../lib/api.js';
import {Card} from '../parts/card.js';
import {ErrorBox} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';

const THREADS = 2;

/** A button that asks for a review of a game. */
export function ReviewCard({id}) {
  const [isAsked, setAsked] = useState(false);
  const [problem, setProblem] = useState(null);
  const review = async () => {
    setAsked(true);
    setProblem(null);
    try {
      const job = await post('/v1/jobs', {kind: 'review', spec: {game: id, threads: THREADS}});
      location.hash = `#/review/${job.id}`;
    } catch (error) {
      setProblem(error);
      setAsked(false);
    }
  };
  return html`<${Card} title="Review by one judge" isTool>
    <p class="dim small">
      One player judges all shots of both sides: what each call and each throw cost, and the calls
      that would have been better.
    </p>
    <div class="buttons">
      <button class="primary" disabled=${isAsked} onClick=${review}>Review this game</button>
    </div>
    ${problem && html`<${ErrorBox} error=${problem} />`}
  <//>`;
}
