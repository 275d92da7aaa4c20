import type { Cover, Scanner } from "../scanner.ts";
import { isPassedOver, type PhraseSet } from "./phrase-set.ts";
import { createTokenReader } from "./token-reader.ts";

/** Steps per character of a token. */
const characterSteps = 8;

/** Finds every occurrence of the phrases of a set as whole words. Linear in the text, however many phrases there are. */
export function phraseScanner({ automaton, options }: PhraseSet, cover: Cover): Scanner {
  let state = automaton.start;
  let steps = 0;
  let count = 0;
  /** Starts of the last tokens, as many as the longest phrase has. */
  const starts = new Float64Array(automaton.depth);

  const startOf = (depth: number): number => starts[(count - depth) % automaton.depth] ?? 0;

  const reader = createTokenReader(options, ({ text, start, end }) => {
    if (isPassedOver(text, options)) return;
    const taken = automaton.step(state, text);
    state = taken.state;
    steps += taken.steps;
    starts[count++ % automaton.depth] = start;
    for (const { depth, label } of state.ends) cover(startOf(depth), end, reader.position, label);
  });

  const stepsOf = (work: () => void, characters: number): number => {
    steps = characters * characterSteps;
    work();
    return steps;
  };

  return {
    openingSteps: automaton.depth,
    read: (piece) => stepsOf(() => reader.read(piece), piece.length),
    end: () => stepsOf(reader.end, 1),
    get undecidedFrom() {
      const partial = reader.partial();
      if (partial === undefined || isPassedOver(partial.text, options)) {
        const open = state.nodes[0]?.depth ?? 0;
        return open === 0 ? reader.position : startOf(open);
      }
      // A following combining mark may change the last character.
      const baseText = partial.text.replace(/\p{M}+$/u, "");
      if (baseText === "") return reader.position;
      const depth = automaton.depthBefore(state, baseText);
      if (depth === -1) return reader.position;
      return depth === 0 ? partial.start : startOf(depth);
    },
  };
}
