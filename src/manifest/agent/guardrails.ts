import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { closed, list, name, oneOf } from "../schema/schema-vocabulary.ts";

export const guardrailStages = ["input", "output"] as const;
export type GuardrailStage = (typeof guardrailStages)[number];

export const guardrailActions = ["redact", "block", "warn", "log"] as const;
export type GuardrailAction = (typeof guardrailActions)[number];

export const guardrailFallbacks = ["block", "pass"] as const;
/** The outcome for a text that a guardrail cannot check. */
export type GuardrailFallback = (typeof guardrailFallbacks)[number];

/** One configured guardrail; its options are flat next to `type`, `action` and `on_error`. */
export type GuardrailEntry = {
  type: string;
  action?: GuardrailAction;
  on_error?: GuardrailFallback;
} & Record<string, unknown>;

/** The keys of a manifest for one kind of guardrail. */
export interface GuardrailRow {
  stages: readonly GuardrailStage[];
  /** Actions it can take on a match; the first is the default. */
  actions: readonly [GuardrailAction, ...GuardrailAction[]];
  /** Its options, which are flat next to `type` and `action`. */
  options: TObject;
  description: string;
}

const fallback = oneOf(guardrailFallbacks, {
  description:
    "What happens to a text that takes more work to check than the limit, counted over all guardrails of the stage: `block` refuses it, `pass` lets it through unchecked.",
  default: "block",
});

const actionOf = (row: GuardrailRow) =>
  oneOf(row.actions, { description: "What happens on a match.", default: row.actions[0] });

/** The keys of an entry of one kind, besides its `type`. */
export const guardrailOptions = (row: GuardrailRow) =>
  closed(
    { action: actionOf(row), on_error: fallback, ...row.options.properties },
    { description: row.description },
  );

function entrySchema(stage: GuardrailStage, rows: ReadonlyMap<string, GuardrailRow> | undefined): TSchema {
  if (rows === undefined) {
    return Type.Object(
      {
        type: name({
          description:
            "The kind of guardrail: `pii_detection` {entities}, `topic_filter` {topics}, `max_length` {max_chars}, `content_filter` {categories, keywords, patterns}, `cost_limit` {max_tokens_per_turn} …",
        }),
        action: Type.Optional(
          oneOf(guardrailActions, { description: "What happens on a match; each kind has its own default." }),
        ),
      },
      {
        additionalProperties: true,
        description: "A guardrail; the options of its kind stand beside `type`, `action` and `on_error`.",
      },
    );
  }
  const variants = [...rows]
    .filter(([, row]) => row.stages.includes(stage))
    .map(([type, row]) =>
      closed(
        {
          type: Type.Literal(type, { description: "The kind of guardrail." }),
          ...guardrailOptions(row).properties,
        },
        { description: row.description },
      ),
    );
  return Type.Union(variants);
}

/** `spec.guardrails`: checks of input and output, in order. */
export function guardrailsSection(kinds: ReadonlyMap<string, GuardrailRow> | undefined) {
  const stage = (which: GuardrailStage, description: string) =>
    list(Type.Unsafe<GuardrailEntry>(entrySchema(which, kinds)), 32, {
      description,
      default: [],
    });
  return closed(
    {
      input: stage(
        "input",
        "Applied in order to the user's message, and to each message of a conversation that the caller sends: `pii_detection`, `topic_filter`, `max_length` …",
      ),
      output: stage(
        "output",
        "Applied to the answer, in order: `pii_detection`, `content_filter`, `cost_limit` …",
      ),
    },
    { description: "What is checked before and after the model.", default: {} },
  );
}
