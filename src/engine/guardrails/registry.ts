import type { GuardrailRow } from "../../manifest/registries.ts";
import type { Guardrail, GuardrailAction, GuardrailStage } from "./guardrail.ts";
import { maxLength, maxLengthOptions } from "./max-length.ts";
import { piiDetection, piiOptions } from "./pii/pii-detection.ts";

/** A kind of guardrail: what a manifest may say about it, and how it is made from that. */
export interface GuardrailKind extends GuardrailRow {
  /** `options` are those of the entry, as the row's schema accepts them; an absent one has its default. */
  build(
    type: string,
    stage: GuardrailStage,
    action: GuardrailAction,
    options: Record<string, unknown>,
  ): Guardrail;
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
      build: piiDetection,
    },
  ],
  [
    "pii_redaction",
    {
      description: "The same as pii_detection with the action redact.",
      stages: ["input", "output"],
      actions: ["redact"],
      options: piiOptions,
      build: piiDetection,
    },
  ],
  [
    "max_length",
    {
      description: "Bounds the length of the user's message; redacting cuts it.",
      stages: ["input"],
      actions: ["block", "redact", "warn", "log"],
      options: maxLengthOptions,
      build: maxLength,
    },
  ],
]);
