// Compares what clients may rely on with what they could rely on in an earlier version: nothing is
// gone or narrower unless a paragraph "Gone or narrower" of the changelog says so, `word by word`
// or with * for any text.
//
//   kept.mjs EARLIER CONTRACT CHANGELOG PROGRAM…     exit status 1: something is missing
//   kept.mjs --print CONTRACT PROGRAM…               prints the promises of today
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {argv, exit} from 'node:process';
import {boundOf, isWide, promisesOf} from './promises.mjs';

/** The options of a program and of its commands, from its own help. */
function optionsOf(program, words = []) {
  const text = execFileSync(program, [...words, '--help'], {encoding: 'utf8'});
  const name = [basename(program), ...words].join(' ');
  const options = [...text.matchAll(/^ +(?:-\S, )?(--[a-z0-9-]+)/gm)].map(([, option]) => option);
  const list = text.match(/^Commands:\n((?: {2}.*\n)+)/m)?.[1] ?? '';
  const commands = [...list.matchAll(/^ {2}([a-z0-9-]+) /gm)].map(([, command]) => command);
  return [
    ...options.map(option => `option ${name} ${option}`),
    ...commands.flatMap(command => [
      `command ${name} ${command}`,
      ...optionsOf(program, [...words, command]),
    ]),
  ];
}

const allOf = (contract, programs) => [
  ...promisesOf(contract),
  ...programs.flatMap(program => optionsOf(program)),
];

/** Whether a list of promises has this one, or a bound that is as wide. */
function judgeOf(promises) {
  const there = new Set(promises);
  const places = new Map(
    promises
      .map(boundOf)
      .filter(Boolean)
      .map(bound => [`${bound.place} ${bound.name}`, bound.value]),
  );
  return line => {
    const bound = boundOf(line);
    if (!bound) return there.has(line);
    const now = places.get(`${bound.place} ${bound.name}`);
    return now === undefined || isWide(bound.name, now, bound.value);
  };
}

/** Bounds of today where there was none, at places that are old. */
function newBounds(today, earlier) {
  const old = new Set(earlier);
  const had = new Set(
    earlier
      .map(boundOf)
      .filter(Boolean)
      .map(({place, name}) => `${place} ${name}`),
  );
  const isNew = ({place, name}) => old.has(place) && !had.has(`${place} ${name}`);
  return today.filter(line => boundOf(line) && isNew(boundOf(line)));
}

/** Members that clients have to send now and could leave out, or did not know, before. */
function newDuties(today, earlier) {
  const there = new Set(today);
  const old = new Set(earlier);
  const parent = line => line.slice(0, line.lastIndexOf('/'));
  const isMember = line => /^(takes |\S+ \S+ body)[^ ]*\/[^/ ]+$/.test(line);
  return today.filter(
    line =>
      isMember(line) &&
      !old.has(line) &&
      !there.has(`${line} may be left out`) &&
      earlier.some(other => other.startsWith(`${parent(line)}/`)),
  );
}

const escaped = text => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');

function compare([earlierFile, contract, changelog, ...programs]) {
  const earlier = readFileSync(earlierFile, 'utf8').trim().split('\n');
  const today = allOf(contract, programs);
  const isKept = judgeOf(today);
  const paragraphs = readFileSync(changelog, 'utf8').split('\n- ');
  const told = paragraphs
    .filter(text => text.startsWith('**Gone or narrower**'))
    .flatMap(text => [...text.matchAll(/`([^`]+)`/g)]);
  const patterns = told.map(([, text]) => new RegExp(`^${escaped(text.replace(/\s+/g, ' '))}$`));
  const isTold = line => patterns.some(pattern => pattern.test(line));
  const gone = earlier.filter(line => !isKept(line) && !isTold(line));
  const added = [...newBounds(today, earlier), ...newDuties(today, earlier)];
  const narrower = added.filter(line => !isTold(line));
  gone.forEach(line => console.log(`gone: ${line}`));
  narrower.forEach(line => console.log(`new: ${line}`));
  console.log(`kept: ${earlier.length - gone.length} of ${earlier.length} promises`);
  return gone.length + narrower.length === 0 ? 0 : 1;
}

const [, , first, ...rest] = argv;
if (first === '--print') console.log(allOf(rest[0], rest.slice(1)).join('\n'));
else exit(compare([first, ...rest]));
