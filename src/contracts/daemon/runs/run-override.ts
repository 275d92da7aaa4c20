import { type Static, Type } from "@sinclair/typebox";

/** Maximum length of an override's system prompt, in UTF-16 units. */
export const overridePromptMax = 128 * 1024;

/** Changes to an agent for one run; see `RunRequest`. */
export const RunOverride = Type.Object(
  {
    provider: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: "Provider of the primary model. Fallbacks are disabled, so that no other model answers.",
      }),
    ),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Name of the primary model. Fallbacks are disabled, so that no other model answers.",
      }),
    ),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    system_prompt: Type.Optional(
      Type.String({
        maxLength: overridePromptMax,
        description: "Template that replaces `spec.prompts.system`.",
      }),
    ),
    version: Type.Optional(
      Type.String({
        pattern: "^[0-9a-f]{64}$",
        description:
          "Fingerprint of the version that must answer: the one in service, or the candidate that the release gate keeps out. Any other gives 409 `agent_version_changed`.",
      }),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description:
      "Changes to the agent for this run only. Its memory, budget and name do not change, nor do the models of roles and of other agents.",
  },
);
export type RunOverride = Static<typeof RunOverride>;
