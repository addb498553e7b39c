// Matches ("#/games"), the games of a match ("#/games/7"), a game shot by shot ("#/games/7/7-0-0"),
// and the games of a job while it runs ("#/games/live/9").
import {html} from '../vendor/preact.js';
import {GamePage} from './game_page.js';
import {LivePage} from './live_page.js';
import {MatchPage} from './match_page.js';
import {MatchesPage} from './matches_page.js';

export function Page({args, query}) {
  const [match, game] = args;
  if (match === 'live') return html`<${LivePage} job=${game} />`;
  if (game) return html`<${GamePage} id=${game} />`;
  if (match) return html`<${MatchPage} id=${match} />`;
  return html`<${MatchesPage} job=${query.get('job')} />`;
}
