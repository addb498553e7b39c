// Matches ("#/games"), the games of a match ("#/games/7"), a game shot by shot ("#/games/7/7-0-0").
import {html} from '../vendor/preact.js';
import {GamePage} from './game_page.js';
import {MatchPage} from './match_page.js';
import {MatchesPage} from './matches_page.js';

export function Page({args, query}) {
  const [match, game] = args;
  if (game) return html`<${GamePage} id=${game} />`;
  if (match) return html`<${MatchPage} id=${match} />`;
  return html`<${MatchesPage} job=${query.get('job')} />`;
}
