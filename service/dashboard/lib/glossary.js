// The words of api/glossary.md, which the build makes a script of; loaded when one is asked for.
import {once} from './once.js';

const ROW = /^\| (.+?) \| (.+) \|$/;

/** The names of a row, without what is in brackets: "luck (of a throw)" is "luck". */
const namesOf = text =>
  text
    .replace(/ \(.*?\)/, '')
    .split(', ')
    .map(name => name.toLowerCase());

/** [{title, words: [{word, names, meaning}]}] of the tables of a page of Markdown. */
function read(text) {
  const sections = [];
  for (const line of text.split('\n')) {
    const [, word, meaning] = line.match(ROW) ?? [];
    if (line.startsWith('## ')) sections.push({title: line.slice(3), words: []});
    else if (word && word !== 'word')
      sections.at(-1).words.push({word, names: namesOf(word), meaning});
  }
  return sections;
}

/** Resolves to the sections of the glossary. */
export const loadGlossary = once(async () => {
  const {GLOSSARY} = await import('../generated/glossary.js');
  return read(GLOSSARY);
});

/** Resolves to the row of a word, or undefined. */
export async function meaningOf(word) {
  const rows = (await loadGlossary()).flatMap(({words}) => words);
  return rows.find(({names}) => names.includes(word.toLowerCase()));
}

/** The address of a word on the page of all of them. */
export const wordAddress = word => `#/glossary/${encodeURIComponent(word)}`;
