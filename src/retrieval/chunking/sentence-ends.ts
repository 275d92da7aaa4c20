/** Marks that end a sentence if white space follows. */
const endMarks = new Set([...".!?…‼⁇⁈⁉؟۔।॥։።፧᙮᠃"].map((mark) => mark.charCodeAt(0)));

/** Marks that always end a sentence, in scripts without spaces. */
const fullEndMarks = new Set([..."。！？｡︒﹒﹖﹗．"].map((mark) => mark.charCodeAt(0)));

const closers = new Set([...`"'”’»›)]}」』）】〉》*_\``].map((mark) => mark.charCodeAt(0)));

/** Words before a period that rarely end a sentence. */
const abbreviations = new Set(
  `adj al approx art bzw ca cap cf ch co corp dept dr ej eg esp est etal fig figs gen gov hr ie inc jr lt ltd max min mr mrs ms mt
  nos nr num núm op pag pág pp prof ref rev sec sr sra srta st tab tel trad univ usw vgl vol vs zb`.split(
    /\s+/,
  ),
);

/** Beginnings of separate lines: headings, list items, quotes, tables. */
const lineOfItsOwn = /(?:#{1,6}|[-*+>|•]|\d{1,3}[.)])(?=[ \t])|\|/y;

const wordBefore = /(?:^|[\s(["'“‘«])([\p{L}.]{1,8})$/u;

/** Units beyond the range in which marks and white space are followed; a longer run ends in its middle. */
const beyond = 64;

/**
 * Ends of sentences in `[from, to)`, each after the following white space; one whose mark is in the range may end slightly beyond it. Blank
 * lines, list items and headings also end sentences. One pass, linear in the text read.
 */
export function findSentenceEnds(text: string, from: number, to: number): number[] {
  const ends: number[] = [];
  const range = { text, from, limit: Math.min(text.length, to + beyond) };
  for (let at = from; at < to; ) {
    const code = text.charCodeAt(at);
    const isMark = endMarks.has(code) || fullEndMarks.has(code);
    if (code !== 0x0a && !isMark) {
      at++;
      continue;
    }
    const next = isMark ? markEnd(range, at) : lineEnd(range, at);
    if (next.isEnd) ends.push(next.at);
    at = next.at;
  }
  return ends;
}

interface Range {
  text: string;
  from: number;
  /** First unit that is not read. */
  limit: number;
}

interface Step {
  /** Position at which reading continues. */
  at: number;
  isEnd: boolean;
}

function lineEnd({ text, limit }: Range, at: number): Step {
  const lineStart = at + 1;
  let next = lineStart;
  while (next < limit && isBlank(text.charCodeAt(next))) next++;
  if (isLineFeed(text.charCodeAt(next))) return { at: skipSpace(text, next, limit), isEnd: true };
  lineOfItsOwn.lastIndex = next;
  return { at: lineStart, isEnd: lineOfItsOwn.test(text) };
}

function markEnd({ text, from, limit }: Range, at: number): Step {
  let next = at;
  let isFull = false;
  for (; next < limit; next++) {
    const code = text.charCodeAt(next);
    if (fullEndMarks.has(code)) isFull = true;
    else if (!endMarks.has(code)) break;
  }
  const isOnePeriod = next === at + 1 && text[at] === ".";
  while (next < limit && closers.has(text.charCodeAt(next))) next++;
  const after = skipSpace(text, next, limit);
  if (after === next) return { at: next, isEnd: isFull };
  if (isFull) return { at: after, isEnd: true };
  return { at: after, isEnd: !goesOn(text, at, after, from, isOnePeriod) };
}

/** Returns true if the sentence continues after the mark: a lower-case letter follows, or the word before it is an abbreviation. */
function goesOn(text: string, mark: number, after: number, from: number, isOnePeriod: boolean): boolean {
  const next = String.fromCodePoint(text.codePointAt(after) ?? 0x20);
  if (/\p{Ll}/u.test(next)) return true;
  if (!isOnePeriod) return false;
  const word = wordBefore.exec(text.slice(Math.max(from, mark - 10), mark))?.[1];
  if (word === undefined) return false;
  const letters = word.replaceAll(".", "");
  return (letters.length === 1 && /\p{Lu}/u.test(letters)) || abbreviations.has(letters.toLowerCase());
}

function skipSpace(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isSpace(text.charCodeAt(at))) at++;
  return at;
}

const isLineFeed = (code: number) => code === 0x0a;

const isBlank = (code: number) => code === 0x20 || code === 0x09 || code === 0x0d;

/** Returns true for Unicode's White_Space; false past the end of the text. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  return (
    (code >= 0x2000 && code <= 0x200a) || [0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(code)
  );
}
