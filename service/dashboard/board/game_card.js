import {TEAMS} from '../curling/names.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {Select} from '../parts/inputs.js';
import {html, useState} from '../vendor/preact.js';
import {startGame, stopGame} from './game.js';

const SIDES = {team0: 'you are red', team1: 'you are yellow'};

export function GameCard({session}) {
  const {gameLine} = useStore(session);
  const [mine, setMine] = useState('team1');
  const start = () => session.work(() => startGame(session, mine));
  return html`<${Card} title="Play an end against the machine" isTool>
    <div class="buttons">
      <${Select}
        values=${TEAMS}
        names=${SIDES}
        value=${mine}
        onSelect=${setMine}
        aria-label="your side"
      />
      <button onClick=${start}>New end</button>
      <button onClick=${() => stopGame(session)}>Stop</button>
    </div>
    <p role="status">${gameLine}</p>
  <//>`;
}
