import {isAbort, text} from '../lib/api.js';
import {usePoll} from '../lib/use_poll.js';
import {Card} from '../parts/card.js';
import {ErrorBox} from '../parts/error_box.js';
import {Loading} from '../parts/loading.js';
import {html, useLayoutEffect, useRef, useState} from '../vendor/preact.js';

const POLL_MS = 2500;
const AT_END_PX = 8;

/** Lines that show their end, unless the user has scrolled away from it. */
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
  const [state, setState] = useState({});
  usePoll(async signal => {
    try {
      setState({lines: await text(`/v1/jobs/${id}/log`, {signal})});
    } catch (error) {
      if (!isAbort(error)) setState({error});
    }
  }, POLL_MS);
  const {lines, error} = state;
  const content = () => {
    if (error) return html`<${ErrorBox} error=${error} />`;
    return lines === undefined ? html`<${Loading} />` : html`<${Lines} lines=${lines} />`;
  };
  return html`<${Card} title="Log">${content()}<//>`;
}
