import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../../kit/app-error.ts";
import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type { GuardrailAction, GuardrailStage } from "../../../manifest/agent/guardrails.ts";
import type { BuildAllowance } from "../build-allowance.ts";
import type { GuardrailStream, GuardrailVerdict, TextGuardrail } from "../guardrail.ts";
import { type Cover, endScanners, readInSlices, type Scanner, scanText } from "../scanner.ts";
import type { TextBudget } from "../text-budget.ts";
import { wholeCharacters } from "../whole-characters.ts";
import { phraseScanner } from "../words/phrase-scanner.ts";
import { type PhraseSet, phraseSet } from "../words/phrase-set.ts";
import { type ContentCategory, contentCategories } from "./categories.ts";
import { type CompiledPattern, compilePattern } from "./compile-pattern.ts";
import { patternScanner } from "./pattern-scanner.ts";
import { redactedStream } from "./redacted-stream.ts";
import { addRange, merged, type TextRange } from "./text-ranges.ts";

const categoryNames = Object.keys(contentCategories) as ContentCategory[];

export const contentFilterOptions = Type.Object(
  {
    categories: Type.Optional(
      Type.Array(Type.Union(categoryNames.map((category) => Type.Literal(category))), {
        description:
          "Built-in lists of words, mostly English with some Spanish. One of `categories`, `keywords` and `patterns` has to be given.",
        minItems: 1,
        uniqueItems: true,
      }),
    ),
    keywords: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        description: "Words or phrases as they are written, found as whole words in any case.",
        minItems: 1,
        maxItems: 1000,
      }),
    ),
    patterns: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
        description:
          "Regular expressions in RE2's syntax, which runs in linear time; `(?i)` in front ignores case. `\\b` knows ASCII words. Backreferences, lookaround and patterns that match the empty text are refused. Under `redact`, a stream is held back by at most 256 characters; of a longer match, what was shown stays shown.",
        minItems: 1,
        maxItems: 64,
      }),
    ),
  },
  { additionalProperties: false },
);

const phraseOptions = { dropAccents: false, loose: false };
const replacement = "[FILTERED]";

/** Phrases and patterns that a filter finds. */
interface Sought {
  phrases: PhraseSet | undefined;
  patterns: readonly CompiledPattern[];
}

/** Finds words of built-in lists, keywords and patterns; redacting replaces them with `[FILTERED]`. */
export function* contentFilter(
  type: string,
  stage: GuardrailStage,
  action: GuardrailAction,
  options: Static<typeof contentFilterOptions>,
  allowance: BuildAllowance,
): Work<TextGuardrail | { problems: Problem[] }> {
  const { keywords = [], patterns = [], categories = [] } = options;
  const problems: Problem[] = [];
  if (categories.length + keywords.length + patterns.length === 0)
    problems.push({ path: "", message: "needs one of categories, keywords and patterns" });
  const compiled: CompiledPattern[] = [];
  for (const [index, source] of patterns.entries()) {
    const pattern = yield* compilePattern(source, allowance);
    if ("program" in pattern) compiled.push(pattern);
    else problems.push({ path: `patterns[${index}]`, message: pattern.problem });
  }

  const ofKeywords = keywords.map((text) => ({ text, label: "keyword", inflected: false }));
  const phrases = [
    ...ofKeywords,
    ...categories.flatMap((category) =>
      contentCategories[category].map((text) => ({ text, label: category, inflected: true })),
    ),
  ];
  const set = phrases.length === 0 ? undefined : yield* phraseSet(phrases, phraseOptions, allowance);
  const empty = new Set(set?.empty);
  for (const [index, phrase] of ofKeywords.entries()) {
    if (empty.has(phrase))
      problems.push({ path: `keywords[${index}]`, message: "has nothing in it that could be found" });
  }
  if (problems.length > 0) return { problems };
  const sought: Sought = { phrases: set, patterns: compiled };
  return {
    type,
    stage,
    action,
    check: (text, budget) => verdict(text, action, sought, budget),
    open: (budget) =>
      action === "redact"
        ? redactedStream((cover) => scannersFor(sought, cover), replacement, budget)
        : countingStream(action, sought, budget),
  };
}

function scannersFor({ phrases, patterns }: Sought, cover: Cover): Scanner[] {
  return [
    ...(phrases === undefined ? [] : [phraseScanner(phrases, cover)]),
    ...patterns.map(({ program }) => patternScanner(program, "pattern", cover)),
  ];
}

/** A test can't be split: above this cost the text is scanned right away. */
const testStepsMax = 100_000;

function* likelyPatterns(
  text: string,
  patterns: readonly CompiledPattern[],
  budget: TextBudget,
): Work<CompiledPattern[]> {
  const likely: CompiledPattern[] = [];
  for (const pattern of patterns) {
    const steps = 10 + (text.length * pattern.size) / 6;
    const isTested = steps <= testStepsMax;
    if (isTested && budget.spend(steps)) yield;
    if (!isTested || pattern.test(text)) likely.push(pattern);
  }
  return likely;
}

function* verdict(
  text: string,
  action: GuardrailAction,
  { phrases, patterns }: Sought,
  budget: TextBudget,
): Work<GuardrailVerdict> {
  const findings = newFindings();
  const likely = { phrases, patterns: yield* likelyPatterns(text, patterns, budget) };
  yield* scanText(scannersFor(likely, findings.cover), text, budget);
  const ranges = merged(findings.covers);
  const hits = ranges.length;
  if (hits === 0) return { outcome: "passed", text, hits };
  if (action === "block") return { outcome: "blocked", reason: reasonFor(findings.labels), hits };
  if (action === "redact") return { outcome: "redacted", text: redacted(text, ranges), hits };
  return { outcome: "passed", text, hits };
}

function newFindings(): { covers: TextRange[]; labels: Set<string>; cover: Cover } {
  const covers: TextRange[] = [];
  const labels = new Set<string>();
  return {
    covers,
    labels,
    cover(start, end, _at, label) {
      addRange(covers, start, end);
      labels.add(label);
    },
  };
}

function redacted(text: string, ranges: readonly TextRange[]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of ranges) {
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

function reasonFor(labels: ReadonlySet<string>): string {
  return `it holds content that is filtered (${[...labels].join(", ")})`;
}

/** Counts findings in an answer. Passes the answer on unchanged, or with `block` only at its end. */
function countingStream(action: GuardrailAction, sought: Sought, budget: TextBudget): GuardrailStream {
  const { covers, labels, cover } = newFindings();
  const scanners = scannersFor(sought, cover);
  const characters = wholeCharacters();
  let pending = "";
  const isBlocked = () => action === "block" && covers.length > 0;
  return {
    *push(piece) {
      if (isBlocked()) return "";
      pending += piece;
      yield* readInSlices(scanners, characters.join(piece), budget);
      if (action === "block") return "";
      pending = "";
      return piece;
    },
    *end() {
      yield* readInSlices(scanners, characters.rest(), budget);
      yield* endScanners(scanners, budget);
      return isBlocked() ? "" : pending;
    },
    giveUp: () => pending,
    get blocked() {
      return isBlocked() ? reasonFor(labels) : undefined;
    },
    get hits() {
      return merged(covers).length;
    },
  };
}
