import {handText, SETTING_NAMES, unitOf} from '../curling/hand.js';
import {number, percent} from '../lib/format.js';
import {useProfile} from '../lib/profiles.js';
import {Card} from '../parts/card.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';
import {ErrorPlot} from './error_plot.js';

const HAND_NAMES = {
  normal: 'normal',
  student: 'with bad misses',
  weight: 'other at hit weight',
  release: 'to one side',
  student_weight: 'with bad misses, other at hit weight',
  student_release: 'with bad misses, to one side',
  weight_release: 'other at hit weight, to one side',
  student_weight_release: 'with bad misses, other at hit weight, to one side',
};

/** What the values mean for a thrower. */
const ABOUT = {
  degrees_of_freedom: 'the fewer, the more bad misses; above 30 nearly normal',
  hit_factor: 'errors at hit weight, as a multiple of those of draws',
  release: 'in deviations: above 0 narrow, to the side of the curl; below 0 wide',
  stddev_spin: 'as a share of the turn',
};

const EVEN = 0.1; // a power of ten that is even odds
const SURE = 6; // and one that nobody needs to be told exactly

/** The odds of a kind of hand against a normal one, from their power of ten: "3 to 1". */
function oddsWords(power) {
  const size = Math.abs(power);
  if (size < EVEN) return 'even';
  const odds = size > SURE ? 'over a million to 1' : `${number(10 ** size, 2)} to 1`;
  return power > 0 ? `${odds} for it` : `${odds} against`;
}

const [ACROSS, ALONG] = [
  ['gat_stddev_x', 'stddev_angle'],
  ['gat_stddev_y', 'stddev_speed'],
];
const oneOf = (noise, names) => noise[names.find(name => name in noise)];

function Settings({hand, profile}) {
  const rows = Object.entries(hand.intervals).map(([name, interval]) => ({
    id: name,
    ...interval,
    unit: unitOf(profile?.noise.settings.find(one => one.name === name) ?? {}),
  }));
  const columns = [
    {
      head: 'Setting',
      wide: 'what',
      cell: ({id}) =>
        html`${SETTING_NAMES[id] ?? id}${
          ABOUT[id] && html`<span class="dim small"> ${ABOUT[id]}</span>`
        }`,
    },
    {head: 'Value', isNumber: true, cell: ({value, unit}) => `${number(value)} ${unit}`},
    {
      head: '95 % interval',
      isNumber: true,
      cell: ({low, high}) => `${number(low)} to ${number(high)}`,
    },
  ];
  return html`<${Table} columns=${columns} items=${rows} kind="stack" label="its values" />`;
}

/** All kinds of hand, the most probable first; a click shows one. */
function Comparison({hands, chosen, onChoose}) {
  const pick = {
    head: '',
    cell: ({hand}) =>
      html`<button
        aria-pressed=${String(hand === chosen)}
        aria-label="show the hand ${HAND_NAMES[hand] ?? hand}"
        onClick=${() => onChoose(hand)}
      >
        Show
      </button>`,
  };
  const columns = [
    {head: 'Kind of hand', wide: 'what', cell: ({hand}) => HAND_NAMES[hand] ?? hand},
    {head: 'Probable', isNumber: true, cell: ({probability}) => percent(probability)},
    {
      head: 'Against a normal hand',
      isNumber: true,
      label: 'against a normal hand',
      cell: ({log10_evidence: evidence}) => oddsWords(evidence),
    },
    pick,
  ];
  return html`
    <h3>Which kind of hand is it?</h3>
    <${Table} columns=${columns} items=${hands} id="hand" kind="stack" />
    <p class="dim small">
      Of these kinds alone, each as probable as the others before. On the right: what the throws say
      about this kind and a normal hand.
    </p>
  `;
}

function Kinds({kinds}) {
  const rows = Object.entries(kinds).map(([id, kind]) => ({id, ...kind}));
  if (!rows.length) return null;
  const names = Object.keys(rows.find(({noise}) => noise)?.noise ?? {});
  const columns = [
    {head: 'Kind of shot', wide: 'what', cell: ({id}) => id},
    {head: 'Shots', isNumber: true, cell: ({shots}) => number(shots)},
    ...names.map(name => ({
      head: SETTING_NAMES[name] ?? name,
      isNumber: true,
      cell: ({noise}) => noise && number(noise[name]),
    })),
  ];
  return html`<h3>By kind of shot</h3>
    <${Table} columns=${columns} items=${rows} kind="stack" label="by kind of shot" />`;
}

/** The hand that explains the throws. */
export function FoundCard({answer}) {
  const [chosen, choose] = useState(answer.hand);
  const profile = useProfile(answer.profile);
  const hand = answer.hands.find(one => one.hand === chosen) ?? answer.hands[0];
  const name = HAND_NAMES[hand.hand] ?? hand.hand;
  const address = new URLSearchParams({profile: answer.profile, hand: handText(hand.noise)});
  return html`
    <${Card} title="The hand of ${answer.shots} shots">
      <p>${`Shown: a hand ${name}, ${percent(hand.probability)} probable.`}</p>
      <${Settings} hand=${hand} profile=${profile} />
      <p class="buttons">
        <a class="button primary" href="#/board?${address}">Use this hand on the board</a>
      </p>
      <${Comparison} hands=${answer.hands} chosen=${hand.hand} onChoose=${choose} />
      <${Kinds} kinds=${answer.kinds} />
    <//>
    <${Card} title="Errors">
      <${ErrorPlot}
        errors=${answer.throws}
        across=${oneOf(hand.noise, ACROSS)}
        along=${oneOf(hand.noise, ALONG)}
      />
    <//>
  `;
}
