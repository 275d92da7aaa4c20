import { stemsOf } from "./words.ts";

/** A passage of the agent's documents in a prompt. */
export interface ShownPassage {
  number: string;
  source: string;
  text: string;
}

/** Argosy writes these blocks before a message or into a prompt; their texts come from outside. */
const tags = ["memories", "episodes", "knowledge"];
const start = /^\[(\d+)\] \((.*?), characters \d+ to \d+\) /gm;
const passagesMax = 50;

/** The text without the blocks of recalled texts, and the passages in them. */
export function takePassages(text: string): { rest: string; passages: ShownPassage[] } {
  const passages: ShownPassage[] = [];
  let rest = text;
  for (const tag of tags) {
    let passage = "";
    let at = 0;
    for (;;) {
      const open = rest.indexOf(`<${tag}>\n`, at);
      const end = open === -1 ? -1 : rest.indexOf(`\n</${tag}>`, open);
      if (end === -1) break;
      if (tag === "knowledge") passages.push(...passagesIn(rest.slice(open, end)));
      passage += rest.slice(at, open);
      at = end + `\n</${tag}>`.length;
      while (rest[at] === "\n") at++;
    }
    rest = passage + rest.slice(at);
  }
  return { rest, passages: passages.slice(0, passagesMax) };
}

function passagesIn(block: string): ShownPassage[] {
  const starts = [...block.matchAll(start)];
  return starts.map(({ 0: head, 1: number = "", 2: source = "", index }, at) => ({
    number,
    source,
    text: block
      .slice(index + head.length, starts[at + 1]?.index)
      .replace(/\s+/g, " ")
      .trim(),
  }));
}

const shownMax = 3;
/** Longer texts are compared by their start. */
const comparedCharsMax = 4000;
const charsMax = 600;

/** The passages that share words with the query, most first; without one, the first passage. */
export function fittingPassages(
  query: string,
  passages: readonly ShownPassage[],
): { fits: boolean; shown: ShownPassage[] } {
  const sought = stemsOf(query.slice(0, comparedCharsMax));
  const scored = passages
    .map((passage) => ({
      passage,
      score: [...stemsOf(`${passage.source} ${passage.text}`.slice(0, comparedCharsMax))].filter((word) =>
        sought.has(word),
      ).length,
    }))
    .sort((a, b) => b.score - a.score);
  const best = scored[0]?.score ?? 0;
  // A passage with less than half the words of the best one is about something else.
  const fitting = scored.filter(({ score }) => score > 0 && score * 2 > best);
  const chosen = fitting.length === 0 ? scored.slice(0, 1) : fitting.slice(0, shownMax);
  return { fits: fitting.length > 0, shown: chosen.map(({ passage }) => passage) };
}

/** A quotation with the number by which answers refer to a passage. */
export function quotePassage({ number, source, text }: ShownPassage): string {
  const cut = text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
  return `“${cut}” [${number}] (${source})`;
}
