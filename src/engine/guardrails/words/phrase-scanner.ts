import type { Cover, Scanner } from "../scanner.ts";
import { isPassedOver, type PhraseNode, type PhraseSet } from "./phrase-set.ts";
import { createTokenReader, type Token } from "./token-reader.ts";

/** A phrase that has begun. */
interface Begun {
  node: PhraseNode;
  start: number;
}

/** Finds the phrases of a set, each wherever it stands as whole words; linear in the text for the longest of them. */
export function phraseScanner({ root, beginnings, options }: PhraseSet, cover: Cover): Scanner {
  let begun: Begun[] = [];

  const advance = (node: PhraseNode, start: number, { text, end }: Token, goOn: Begun[]) => {
    for (const child of node.next.get(text) ?? []) {
      if (child.label !== undefined) cover(start, end, reader.position, child.label);
      if (child.next.size > 0) goOn.push({ node: child, start });
    }
  };

  const reader = createTokenReader(options, (token) => {
    if (isPassedOver(token.text, options)) return;
    if (begun.length === 0 && !root.next.has(token.text)) return;
    const goOn: Begun[] = [];
    for (const { node, start } of begun) advance(node, start, token, goOn);
    advance(root, token.start, token, goOn);
    begun = goOn;
  });

  return {
    read: reader.read,
    end: reader.end,
    get undecidedFrom() {
      const partial = reader.partial();
      if (partial === undefined || isPassedOver(partial.text, options)) {
        return begun[0]?.start ?? reader.position;
      }
      // A mark that comes next may change the last character.
      const said = partial.text.replace(/\p{M}+$/u, "");
      if (said === "") return reader.position;
      const waiting = begun.find(({ node }) => [...node.next.keys()].some((token) => token.startsWith(said)));
      if (waiting) return waiting.start;
      return beginnings.has(said) ? partial.start : reader.position;
    },
  };
}
