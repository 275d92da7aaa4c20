import type { Hits } from "./ranking-metrics.ts";

/** The parts of a passage that are judged. */
export interface JudgedPassage {
  document: string;
  text: string;
}

/** An expected result: any passage of a document, or one that contains a text. */
export interface ExpectedPassage {
  document: string;
  contains?: string | undefined;
}

/** Hit of each passage, best passage first. Every expectation is met once, and a passage meets at most one. */
export function judgeRanking(passages: readonly JudgedPassage[], expected: readonly ExpectedPassage[]): Hits {
  const open = new Set(expected.keys());
  const wanted = expected.map(({ contains }) => (contains === undefined ? undefined : comparable(contains)));
  return passages.map((passage) => {
    const text = comparable(passage.text);
    // Prefers an expectation with a text in the passage over one that accepts any passage of the document.
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

/** Normalizes case, Unicode form and white space. */
function comparable(text: string): string {
  return text.normalize("NFC").toLowerCase().replace(/\s+/g, " ").trim();
}
