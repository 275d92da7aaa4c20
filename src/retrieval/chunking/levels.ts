import { findSentenceEnds, isSpace } from "./sentence-ends.ts";

/** One kind of positions for cutting a text. Positions are UTF-16 units, never inside a surrogate pair. */
export interface Level {
  /** Last such position in `[least, most]`. */
  last(text: string, least: number, most: number): number | undefined;
  /** First such position in `[least, most]`. */
  first(text: string, least: number, most: number): number | undefined;
}

/** Units after a position that are examined for a match. */
const slack = 64;

/**
 * Cuts after a separator. If it begins with line ends and continues, cuts after the line ends: `"\n## "` introduces a heading, which keeps
 * its marks.
 */
export function separatorLevel(separator: string): Level {
  const [lineEnds = ""] = /^[\r\n]*/.exec(separator) ?? [];
  const lead = lineEnds.length === 0 ? separator.length : lineEnds.length;
  const tail = separator.length - lead;
  return {
    last(text, least, most) {
      const from = Math.max(0, least - lead);
      const separatorAt = text.slice(from, most + tail).lastIndexOf(separator);
      return separatorAt < 0 ? undefined : from + separatorAt + lead;
    },
    first(text, least, most) {
      const from = Math.max(0, least - lead);
      const separatorAt = text.slice(from, most + tail).indexOf(separator);
      return separatorAt < 0 ? undefined : from + separatorAt + lead;
    },
  };
}

/** Cuts at the end of a match. Matches begin at most `before` units before their end; longer ones are found truncated. */
function patternLevel(pattern: RegExp, before: number): Level {
  function* places(text: string, least: number, most: number): Generator<number> {
    const from = Math.max(0, least - before);
    for (const match of text.slice(from, most + slack).matchAll(pattern)) {
      const place = from + match.index + match[0].length;
      if (place > most) return;
      if (place >= least) yield place;
    }
  }
  return {
    last: (text, least, most) => [...places(text, least, most)].at(-1),
    first: (text, least, most) => places(text, least, most).next().value ?? undefined,
  };
}

const sentences: Level = {
  last: (text, least, most) => sentenceEndsIn(text, least, most).at(-1),
  first(text, least, most) {
    for (let from = least; from <= most; from += stride) {
      const [first] = sentenceEndsIn(text, from, Math.min(from + stride - 1, most));
      if (first !== undefined) return first;
    }
    return undefined;
  },
};

/** The first end is searched in steps, because most are near. */
const stride = 512;

function sentenceEndsIn(text: string, least: number, most: number): number[] {
  return findSentenceEnds(text, Math.max(0, least - slack), most).filter(
    (end) => end >= least && end <= most,
  );
}

const words: Level = {
  last(text, least, most) {
    for (let at = most; at >= least; at--) if (isWordEnd(text, at)) return at;
    return undefined;
  },
  first(text, least, most) {
    for (let at = least; at <= most; at++) if (isWordEnd(text, at)) return at;
    return undefined;
  },
};

/** Returns true after white space, and after commas of scripts without spaces. */
function isWordEnd(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return (
    (isSpace(before) && !isSpace(text.charCodeAt(at))) || "、，；：".includes(String.fromCharCode(before))
  );
}

/** Headings, paragraphs, lines, sentences, words: positions for cutting Markdown and plain text, best first. */
export const textLevels: readonly Level[] = [
  patternLevel(/\n(?=#{1,6}[ \t])/g, 1),
  patternLevel(/\n[ \t\r]*\n+/g, slack),
  separatorLevel("\n"),
  sentences,
  words,
];

export const wordLevel: Level = words;
export const sentenceLevel: Level = sentences;
