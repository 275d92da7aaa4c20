import { inflections } from "./inflections.ts";
import { type TokenOptions, tokensOf } from "./token-reader.ts";

export interface Phrase {
  text: string;
  /** What finds of it are called. */
  label: string;
  /** Whether simple other forms of its words count too. */
  inflected: boolean;
}

/** Phrases as a tree of tokens. */
export interface PhraseNode {
  next: Map<string, PhraseNode[]>;
  /** The label of a phrase that ends here. */
  label: string | undefined;
}

export interface PhraseSet {
  root: PhraseNode;
  /** Every beginning of every first token. */
  beginnings: ReadonlySet<string>;
  options: PhraseOptions;
}

export interface PhraseOptions extends TokenOptions {
  /** Spaces, hyphens and the like between words don't count. */
  loose: boolean;
}

const loosely = new Set([" ", "-", "_", "'"]);

/** Whether a token counts for nothing under these options. */
export function isPassedOver(token: string, { loose }: PhraseOptions): boolean {
  return loose && loosely.has(token);
}

/** The tokens of a phrase that have to be met; none when there is nothing to look for in it. */
export function phraseTokens(text: string, options: PhraseOptions): string[] {
  return tokensOf(text.trim(), options)
    .map((token) => token.text)
    .filter((token) => token !== "" && !isPassedOver(token, options));
}

/** A set that finds `phrases` as whole words, in any case. */
export function phraseSet(phrases: readonly Phrase[], options: PhraseOptions): PhraseSet {
  const root: PhraseNode = { next: new Map(), label: undefined };
  for (const { text, label, inflected } of phrases) {
    const tokens = phraseTokens(text, options);
    if (tokens.length === 0) continue;
    let node = root;
    for (const [index, token] of tokens.entries()) {
      node = childOf(node, token, inflected, index === tokens.length - 1 ? label : undefined);
    }
  }
  const beginnings = new Set<string>();
  for (const token of root.next.keys()) {
    for (let length = 1; length <= token.length; length++) beginnings.add(token.slice(0, length));
  }
  return { root, beginnings, options };
}

/** A new child that all forms of `token` lead to; phrases with the same beginning don't share it, since their forms differ. */
function childOf(node: PhraseNode, token: string, inflected: boolean, label: string | undefined): PhraseNode {
  const child: PhraseNode = { next: new Map(), label };
  for (const form of inflected ? inflections(token) : [token]) {
    const siblings = node.next.get(form);
    if (siblings) siblings.push(child);
    else node.next.set(form, [child]);
  }
  return child;
}
