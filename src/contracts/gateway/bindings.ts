import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { ChannelName, TenantId } from "./channels.ts";

const secret = Type.String({ minLength: 1, maxLength: 4096 });
const url = Type.String({ minLength: 1, maxLength: 2048 });

export const answerFormats = ["markdown", "plain", "raw"] as const;
const format = Type.Unsafe<(typeof answerFormats)[number]>(
  Type.Union(
    answerFormats.map((name) => Type.Literal(name)),
    {
      fault: `must be one of ${answerFormats.join(", ")}`,
      description: "How answers are sent: with the channel's marks (default), without marks, or as they are.",
    },
  ),
);

const collect_seconds = Type.Integer({
  minimum: 0,
  maximum: 30,
  description:
    "Messages that follow each other within these seconds are one run; counted from the last, at most three times as long in all.",
});

export const groupRules = ["addressed", "all", "none"] as const;
const groups = Type.Unsafe<(typeof groupRules)[number]>(
  Type.Union(
    groupRules.map((name) => Type.Literal(name)),
    {
      fault: `must be one of ${groupRules.join(", ")}`,
      description:
        "Messages of groups that are answered: those that mention the account, reply to it or are commands (default), all, or none.",
    },
  ),
);

const csat_question = Type.String({
  minLength: 1,
  maxLength: 900,
  pattern: "^[^\\u0000]*\\S[^\\u0000]*$",
  description:
    "Question that a user gets when a person resolves their conversation. A number from 1 to 5 as their next message is the answer, and starts no run.",
});

const configKeys = {
  platform_api_key: secret,
  callback_url: url,
  callback_secret: secret,
  pedir_contacto: Type.Boolean(),
  answer_mentions: Type.Boolean({
    description: "True to run the agent on shared posts and mentions that come without a text.",
  }),
  takeover_on_failure: Type.Boolean({ description: "A failed run asks for a person." }),
  collect_seconds,
  csat_question,
  format,
  groups,
};

export const BindingConfigInput = Type.Partial(Type.Object(configKeys), { additionalProperties: false });
export type BindingConfigInput = Static<typeof BindingConfigInput>;

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/** Merged into the stored config; null removes a key. */
export const BindingConfigChange = Type.Object(
  {
    platform_api_key: orNull(secret),
    callback_url: orNull(url),
    callback_secret: orNull(secret),
    pedir_contacto: orNull(Type.Boolean()),
    answer_mentions: orNull(Type.Boolean()),
    takeover_on_failure: orNull(Type.Boolean()),
    collect_seconds: orNull(collect_seconds),
    csat_question: orNull(csat_question),
    format: orNull(format),
    groups: orNull(groups),
  },
  { additionalProperties: false },
);
export type BindingConfigChange = Static<typeof BindingConfigChange>;

const entryAgent = Type.String({ minLength: 1, maxLength: 63 });
const fallbackMessage = Type.String({
  maxLength: 4096,
  description: "Sent when a run fails; empty sends nothing.",
});

export const BindingInput = Type.Object(
  {
    tenant_id: TenantId,
    channel: Type.Optional(ChannelName),
    account_id: Type.String({ minLength: 1, maxLength: 255 }),
    entry_agent: Type.Optional(entryAgent),
    fallback_message: Type.Optional(fallbackMessage),
    config: Type.Optional(BindingConfigInput),
  },
  { additionalProperties: false },
);
export type BindingInput = Static<typeof BindingInput>;

export const BindingChange = Type.Object(
  {
    entry_agent: Type.Optional(entryAgent),
    fallback_message: Type.Optional(fallbackMessage),
    config: Type.Optional(BindingConfigChange),
  },
  { additionalProperties: false },
);
export type BindingChange = Static<typeof BindingChange>;

export const Binding = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  channel: ChannelName,
  account_id: Type.String(),
  entry_agent: Type.Union([Type.String(), Type.Null()]),
  fallback_message: Type.String(),
  config: Type.Partial(Type.Object(configKeys), { description: "Secrets are masked." }),
  created_at: Type.String(),
  updated_at: Type.String(),
});
export type Binding = Static<typeof Binding>;

export const BindingList = Type.Object({ bindings: Type.Array(Binding) });
export type BindingList = Static<typeof BindingList>;
