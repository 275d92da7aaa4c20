import { type Static, Type } from "@sinclair/typebox";

const micros = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description });

export const ProviderPrice = Type.Object(
  {
    in: micros("Input tokens."),
    out: micros("Output tokens."),
    cached: Type.Optional(micros("Input tokens read from the provider's cache; absent: as `in`.")),
  },
  {
    additionalProperties: false,
    description: "Price of 1000 tokens, in millionths of a US dollar, as in providers.yaml.",
  },
);
export type ProviderPrice = Static<typeof ProviderPrice>;

const type = Type.String({
  minLength: 1,
  maxLength: 63,
  description: "The kind of provider: `openai`, `anthropic`, `ollama` …",
});
const endpoint = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "The server's base URL; absent: the kind's own.",
});
const apiKey = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: "^[\\x21-\\x7e]+$",
  fault: "must be 1 to 4096 printable ASCII characters without spaces",
  description: "Stored sealed and never shown.",
});

/** `PUT /v1/system/providers/{name}`. */
export const ProviderSetup = Type.Object(
  {
    type,
    endpoint: Type.Optional(endpoint),
    api_key: Type.Optional(
      Type.Union([apiKey, Type.Null()], {
        description:
          "Null removes the stored key. Absent keeps it, as long as type and endpoint stay the same; a key is never sent to another address.",
      }),
    ),
    context_window: Type.Optional(
      Type.Integer({
        minimum: 256,
        maximum: 10_000_000,
        description: "Tokens that its models can read and write at once.",
      }),
    ),
    prices: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 255 }), ProviderPrice, {
        maxProperties: 256,
        description: "By model; absent: the prices stay as they are.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ProviderSetup = Static<typeof ProviderSetup>;

export const StoredProvider = Type.Object({
  name: Type.String(),
  type: Type.String(),
  endpoint: Type.Optional(Type.String()),
  has_key: Type.Boolean({ description: "Whether a key is stored." }),
  context_window: Type.Optional(Type.Integer()),
  prices: Type.Record(Type.String(), ProviderPrice),
  updated_at: Type.String({ description: "ISO 8601 UTC." }),
});
export type StoredProvider = Static<typeof StoredProvider>;

/** `POST /v1/system/providers/{name}/test`: as it is configured, or as it would be with this. */
export const ProviderTrial = Type.Object(
  { type: Type.Optional(type), endpoint: Type.Optional(endpoint), api_key: Type.Optional(apiKey) },
  { additionalProperties: false },
);
export type ProviderTrial = Static<typeof ProviderTrial>;

export const ProviderTrialResult = Type.Object({
  ok: Type.Boolean(),
  latency_ms: Type.Number(),
  models: Type.Optional(
    Type.Array(Type.String(), {
      description: "The models that the server lists; absent when it lists none.",
    }),
  ),
  error: Type.Optional(Type.String({ description: "The code of the failure." })),
  message: Type.Optional(Type.String()),
  hint: Type.Optional(Type.String({ description: "What can be done about it." })),
});
export type ProviderTrialResult = Static<typeof ProviderTrialResult>;

export const ProviderModels = Type.Object({
  models: Type.Array(Type.String(), {
    description: "As the provider's server lists them, in order of names.",
  }),
});
export type ProviderModels = Static<typeof ProviderModels>;
