import { languages, type Phrases, usualPhrases } from "./phrases.ts";

/** How a system prompt asks to answer, as far as the rehearsal can. */
export interface Style {
  phrases: Phrases;
  /** True if an answer has one sentence. */
  brief: boolean;
  opening: string | undefined;
  closing: string | undefined;
}

/** Longer prompts are read up to here. */
const promptCharsMax = 20_000;

const quotedText = "(?:\"([^\"\\n]{1,200})\"|“([^”\\n]{1,200})”|'([^'\\n]{1,200})')";
const name = "(\\p{Lu}[\\p{L}\\p{N}'’-]*(?: \\p{Lu}[\\p{L}\\p{N}'’-]*){0,3})";

const language = new RegExp(
  `\\b(?:answer|reply|respond|speak|write)\\b[^.!?\\n]{0,40}?\\bin (${[...languages.keys()].join("|")})\\b`,
  "giu",
);
const brief =
  /\b(?:(?:be|stay|keep [^.!?\n]{0,30}?|answer|reply|respond) (?:very )?(?:brief|briefly|concise|concisely|short|terse)|(?:in|with|use|at most) (?:one|a single) (?:short )?sentence)\b/giu;
const opening = new RegExp(`\\b(?:begin|start|open)\\b[^.!?\\n"“']{0,40}?\\bwith:? ${quotedText}`, "giu");
const closing = new RegExp(`\\b(?:end|close|finish)\\b[^.!?\\n"“']{0,40}?\\bwith:? ${quotedText}`, "giu");
const signature = new RegExp(
  `\\b[Ss]ign\\b[^.!?\\n"“']{0,40}?\\b(?:as|with):? (?:${quotedText}|${name})`,
  "gu",
);

/** Words right before an instruction that turn it round. */
const negation = /\b(?:not|never|don['’]t|no need to|avoid)\s+(?:to\s+)?$/iu;

/** Reads the instructions that the rehearsal follows: a language, brevity, how an answer begins and ends, and who signs it. */
export function readStyle(prompt: string): Style {
  const text = prompt.slice(0, promptCharsMax);
  const signed = lastOf(signature, text);
  return {
    phrases: languages.get(lastOf(language, text)?.toLowerCase() ?? "") ?? usualPhrases,
    brief: lastOf(brief, text) !== undefined,
    opening: lastOf(opening, text),
    closing: signed === undefined ? lastOf(closing, text) : `— ${signed.replace(/^[—-]\s*/, "")}`,
  };
}

/** What the last match that is not negated names, or the match itself if it names nothing. */
function lastOf(pattern: RegExp, text: string): string | undefined {
  const matches = [...text.matchAll(pattern)].filter(
    ({ index }) => !negation.test(text.slice(Math.max(0, index - 20), index)),
  );
  const last = matches.at(-1);
  return last && (last.slice(1).find((group) => group !== undefined) ?? last[0]);
}

/** The answer in that style. */
export function styled(answer: string, { brief: isBrief, opening: first, closing: last }: Style): string {
  const text = isBrief ? firstSentence(answer) : answer;
  return [first, text, last].filter((part) => part !== undefined).join(" ");
}

/** Up to the first full stop outside quotation marks; the whole text if it has none. */
function firstSentence(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "“") depth++;
    else if (char === "”") depth--;
    else if (depth === 0 && /[.!?]/.test(char ?? "") && /^(?:\s|$)/.test(text.slice(at + 1, at + 2)))
      return text.slice(0, at + 1);
  }
  return text;
}
