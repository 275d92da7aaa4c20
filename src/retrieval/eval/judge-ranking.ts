import type { Hits } from "./ranking-metrics.ts";

/** What a passage is judged by. */
export interface JudgedPassage {
  document: string;
  text: string;
}

/** What should be found: any passage of a document, or one that holds a text. */
export interface ExpectedPassage {
  document: string;
  contains?: string | undefined;
}

/** Each passage's hit, the best passage first: every expectation is met once, every passage meets one at most. */
export function judgeRanking(passages: readonly JudgedPassage[], expected: readonly ExpectedPassage[]): Hits {
  const open = new Set(expected.keys());
  const wanted = expected.map(({ contains }) => (contains === undefined ? undefined : comparable(contains)));
  return passages.map((passage) => {
    const text = comparable(passage.text);
    // A passage that holds the text rather than one of the same document that is merely from it.
    const fitting = [...open].filter((index) => {
      const contains = wanted[index];
      return (
        expected[index]?.document === passage.document && (contains === undefined || text.includes(contains))
      );
    });
    const hit = fitting.find((index) => wanted[index] !== undefined) ?? fitting[0];
    if (hit !== undefined) open.delete(hit);
    return hit;
  });
}

/** Capitals, the form of characters and the number of spaces don't tell texts apart. */
function comparable(text: string): string {
  return text.normalize("NFC").toLowerCase().replace(/\s+/g, " ").trim();
}
