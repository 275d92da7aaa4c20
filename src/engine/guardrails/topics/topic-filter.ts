import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../../kit/app-error.ts";
import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type { GuardrailAction, GuardrailStage } from "../../../manifest/agent/guardrails.ts";
import type { BuildAllowance } from "../build-allowance.ts";
import type { GuardrailVerdict, TextGuardrail } from "../guardrail.ts";
import { heldStream } from "../held-stream.ts";
import { scanText } from "../scanner.ts";
import type { TextBudget } from "../text-budget.ts";
import { phraseScanner } from "../words/phrase-scanner.ts";
import { type Phrase, phraseSet } from "../words/phrase-set.ts";
import { builtInTopics } from "./topic-words.ts";

const names = Object.keys(builtInTopics);

export const topicFilterOptions = Type.Object(
  {
    topics: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      description: `Words and phrases in any language, found as whole words in any case, with or without accents and in simple other forms; ${names.map((name) => `\`${name}\``).join(", ")} each stand for a built-in list of words, mostly English with some Spanish.`,
      minItems: 1,
      maxItems: 256,
    }),
  },
  { additionalProperties: false },
);

const options = { dropAccents: true, loose: true };

/** Finds forbidden topics by their words, without understanding the text. */
export function* topicFilter(
  type: string,
  stage: GuardrailStage,
  action: GuardrailAction,
  { topics }: Static<typeof topicFilterOptions>,
  allowance: BuildAllowance,
): Work<TextGuardrail | { problems: Problem[] }> {
  const phrases = yield* phraseSet(topics.flatMap(phrasesOf), options, allowance);
  const empty = new Set(phrases.empty.map(({ label }) => label));
  const problems = topics.flatMap((topic, index) =>
    empty.has(topic) ? [{ path: `topics[${index}]`, message: "has nothing in it that could be found" }] : [],
  );
  if (problems.length > 0) return { problems };

  const check = function* (text: string, budget: TextBudget): Work<GuardrailVerdict> {
    const topicNames = new Set<string>();
    let hits = 0;
    let end = 0;
    const scanner = phraseScanner(phrases, (from, to, _at, topic) => {
      topicNames.add(topic);
      if (from >= end) hits++;
      end = Math.max(end, to);
    });
    yield* scanText([scanner], text, budget);
    if (hits > 0 && action === "block") {
      return { outcome: "blocked", reason: `it is about ${[...topicNames].join(", ")}`, hits };
    }
    return { outcome: "passed", text, hits };
  };
  return { type, stage, action, check, open: (budget) => heldStream((text) => check(text, budget)) };
}

function phrasesOf(topic: string): Phrase[] {
  const list = isBuiltIn(topic) ? builtInTopics[topic] : [topic];
  return list.map((text) => ({ text, label: topic, inflected: true }));
}

function isBuiltIn(topic: string): topic is keyof typeof builtInTopics {
  return Object.hasOwn(builtInTopics, topic);
}
