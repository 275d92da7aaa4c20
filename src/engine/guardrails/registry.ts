import type { Problem } from "../../kit/app-error.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { GuardrailAction, GuardrailRow, GuardrailStage } from "../../manifest/agent/guardrails.ts";
import type { BuildAllowance } from "./build-allowance.ts";
import { contentFilter, contentFilterOptions } from "./content/content-filter.ts";
import { costLimit, costLimitOptions } from "./cost-limit.ts";
import type { Guardrail } from "./guardrail.ts";
import { promptInjection, promptInjectionOptions } from "./injection/prompt-injection.ts";
import { maxLength, maxLengthOptions } from "./max-length.ts";
import { piiDetection, piiOptions } from "./pii/pii-detection.ts";
import { topicFilter, topicFilterOptions } from "./topics/topic-filter.ts";

/** A kind of guardrail: its manifest schema and its builder. */
export interface GuardrailKind extends GuardrailRow {
  /**
   * Builds a guardrail. `options` match the row's schema; absent ones have their defaults. Returns problems that the schema can't detect,
   * with paths relative to the entry. All guardrails of an agent share the allowance.
   */
  build(
    type: string,
    stage: GuardrailStage,
    action: GuardrailAction,
    options: Record<string, unknown>,
    allowance: BuildAllowance,
  ): Work<Guardrail | { problems: Problem[] }>;
}

/** The builder of a guardrail that takes no work. */
function quick(
  build: (
    type: string,
    stage: GuardrailStage,
    action: GuardrailAction,
    options: never,
  ) => Guardrail | { problems: Problem[] },
): GuardrailKind["build"] {
  return function* (type, stage, action, options, allowance) {
    if (allowance.spend(0)) yield;
    return build(type, stage, action, options as never);
  };
}

/** Every kind of guardrail by its `type`. */
export const guardrailKinds: ReadonlyMap<string, GuardrailKind> = new Map<string, GuardrailKind>([
  [
    "pii_detection",
    {
      description:
        "Finds e-mail addresses, phone numbers, US social security numbers and payment card numbers; redacting puts [EMAIL], [PHONE], [SSN], [CREDIT_CARD] in their place.",
      stages: ["input", "output"],
      actions: ["redact", "block", "warn", "log"],
      options: piiOptions,
      build: quick(piiDetection),
    },
  ],
  [
    "pii_redaction",
    {
      description: "The same as pii_detection with the action redact.",
      stages: ["input", "output"],
      actions: ["redact"],
      options: piiOptions,
      build: quick(piiDetection),
    },
  ],
  [
    "topic_filter",
    {
      description: "Finds unwanted topics by their words; it does not understand meaning.",
      stages: ["input"],
      actions: ["block", "warn", "log"],
      options: topicFilterOptions,
      build: topicFilter,
    },
  ],
  [
    "max_length",
    {
      description: "Bounds the length of the user's message; redacting cuts it.",
      stages: ["input"],
      actions: ["block", "redact", "warn", "log"],
      options: maxLengthOptions,
      build: quick(maxLength),
    },
  ],
  [
    "prompt_injection",
    {
      description:
        "Finds texts that look like known attempts to take over the model. A heuristic that misses new ones: limit what an agent may do by its tools and permissions.",
      stages: ["input"],
      actions: ["block", "warn", "log"],
      options: promptInjectionOptions,
      build: quick(promptInjection),
    },
  ],
  [
    "content_filter",
    {
      description:
        "Finds words of built-in lists, your keywords and patterns in answers and in the inputs and results of tools; `redact` replaces them by [FILTERED]. Needs categories, keywords or patterns.",
      stages: ["output"],
      actions: ["redact", "block", "warn", "log"],
      options: contentFilterOptions,
      build: contentFilter,
    },
  ],
  [
    "cost_limit",
    {
      description:
        "Bounds the tokens of an answer, wherever it stands among the guardrails; redacting cuts the answer there and ends the model's call.",
      stages: ["output"],
      actions: ["redact", "block", "warn", "log"],
      options: costLimitOptions,
      build: quick(costLimit),
    },
  ],
]);
