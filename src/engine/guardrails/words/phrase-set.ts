import type { Work } from "../../../kit/concurrency/others-turn.ts";
import { type BuildAllowance, characterSteps, wordSteps } from "../build-allowance.ts";
import { inflections } from "./inflections.ts";
import {
  createPhraseAutomaton,
  type PhraseAutomaton,
  type PhraseNode,
  type PhraseNodes,
} from "./phrase-automaton.ts";
import { type TokenOptions, tokensOf } from "./token-reader.ts";

export interface Phrase {
  text: string;
  /** Label reported for its matches. */
  label: string;
  /** True if simple inflections of its words count too. */
  inflected: boolean;
}

export interface PhraseSet {
  automaton: PhraseAutomaton;
  options: PhraseOptions;
  /** Phrases that have nothing to search for. */
  empty: readonly Phrase[];
}

export interface PhraseOptions extends TokenOptions {
  /** Ignores spaces, hyphens and similar characters between words. */
  loose: boolean;
}

const loosely = new Set([" ", "-", "_", "'"]);

/** Returns true if these options ignore the token. */
export function isPassedOver(token: string, { loose }: PhraseOptions): boolean {
  return loose && loosely.has(token);
}

/** Tokens of a phrase that must match; empty if the phrase has nothing to search for. */
function phraseTokens(text: string, options: PhraseOptions): string[] {
  return tokensOf(text.trim(), options)
    .map((token) => token.text)
    .filter((token) => token !== "" && !isPassedOver(token, options));
}

/** A set that finds `phrases` as whole words, ignoring case. Throws BeyondAllowance. */
export function* phraseSet(
  phrases: readonly Phrase[],
  options: PhraseOptions,
  allowance: BuildAllowance,
): Work<PhraseSet> {
  const tree = new PhraseTree();
  const empty: Phrase[] = [];
  for (const phrase of phrases) {
    if (allowance.spend(phrase.text.length * characterSteps)) yield;
    const tokens = phraseTokens(phrase.text, options);
    if (tokens.length === 0) empty.push(phrase);
    if (allowance.spend(tokens.length * wordSteps)) yield;
    yield* tree.add(tokens, phrase, allowance);
  }
  return { automaton: createPhraseAutomaton(tree), options, empty };
}

class PhraseTree implements PhraseNodes {
  readonly root: PhraseNode = { depth: 0, id: 0, next: new Map(), labels: [] };
  /** Tokens of the longest phrase. */
  depth = 0;
  readonly tokens = new Set<string>();
  #size = 1;
  /** Child nodes by parent and word. Phrases share them, because the inflections of a word are the same. */
  readonly #children = new Map<string, PhraseNode>();

  *add(tokens: readonly string[], { label, inflected }: Phrase, allowance: BuildAllowance): Work<undefined> {
    if (tokens.length === 0) return;
    let node = this.root;
    for (const token of tokens) node = yield* this.#childOf(node, token, inflected, allowance);
    this.depth = Math.max(this.depth, node.depth);
    if (!node.labels.includes(label)) node.labels.push(label);
  }

  *#childOf(
    node: PhraseNode,
    token: string,
    inflected: boolean,
    allowance: BuildAllowance,
  ): Work<PhraseNode> {
    const key = `${node.id} ${inflected} ${token}`;
    const known = this.#children.get(key);
    if (known !== undefined) return known;
    const forms = inflected ? inflections(token) : [token];
    if (allowance.spend(forms.length * wordSteps)) yield;
    const child: PhraseNode = { depth: node.depth + 1, id: this.#size++, next: new Map(), labels: [] };
    this.#children.set(key, child);
    for (const form of forms) {
      this.tokens.add(form);
      const siblings = node.next.get(form);
      if (siblings) siblings.push(child);
      else node.next.set(form, [child]);
    }
    return child;
  }
}
