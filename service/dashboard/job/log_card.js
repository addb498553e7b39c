import {text} from '../lib/api.js';
import {usePolled} from '../lib/use_poll.js';
import {Card} from '../parts/card.js';
import {Loaded} from '../parts/notes.js';
import {html, useLayoutEffect, useRef} from '../vendor/preact.js';

const POLL_MS = 2500;
const AT_END_PX = 8;

/** Lines scrolled to their end, unless the user scrolled away from it. */
function Lines({lines}) {
  const place = useRef(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) place.current.scrollTop = place.current.scrollHeight;
  }, [lines]);
  const note = ({target}) => {
    const below = target.scrollHeight - target.scrollTop - target.clientHeight;
    isAtEnd.current = below < AT_END_PX;
  };
  return html`<pre
    ref=${place}
    tabindex="0"
    aria-label="the last lines of the worker"
    onScroll=${note}
  >${lines || '(nothing was said)'}</pre>`;
}

/** The log of a job. */
export function LogCard({id}) {
  const log = usePolled(
    async signal => ({lines: await text(`/v1/jobs/${id}/log`, {signal})}),
    POLL_MS,
  );
  return html`<${Card} title="Log">
    <${Loaded} ...${log}>${({lines}) => html`<${Lines} lines=${lines} />`}<//>
  <//>`;
}
