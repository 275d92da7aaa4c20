import { type Static, Type } from "@sinclair/typebox";

const micros = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description });

export const ProviderPrice = Type.Object(
  {
    in: micros("Price of input tokens."),
    out: micros("Price of output tokens."),
    cached: Type.Optional(
      micros("Price of input tokens read from the provider's cache. Default: the value of `in`."),
    ),
    written: Type.Optional(
      micros("Price of input tokens written to the provider's cache. Default: the value of `in`."),
    ),
    audio_in: Type.Optional(micros("Price of sound that is read. Default: the value of `in`.")),
    audio_out: Type.Optional(micros("Price of sound that is made. Default: the value of `out`.")),
  },
  {
    additionalProperties: false,
    description: "Price per 1000 tokens, in millionths of a US dollar, as in providers.yaml.",
  },
);
export type ProviderPrice = Static<typeof ProviderPrice>;

const type = Type.String({
  minLength: 1,
  maxLength: 63,
  description: "Type of provider, such as `openai`, `anthropic` or `ollama`.",
});
const endpoint = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "Base URL of the server. Default: the base URL of the provider type.",
});
const apiKey = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: "^[\\x21-\\x7e]+$",
  fault: "must be 1 to 4096 printable ASCII characters without spaces",
  description: "API key. Stored encrypted and never returned.",
});

/** `PUT /v1/system/providers/{name}`. */
export const ProviderSetup = Type.Object(
  {
    type,
    endpoint: Type.Optional(endpoint),
    api_key: Type.Optional(
      Type.Union([apiKey, Type.Null()], {
        description:
          "API key; null removes the stored key. If absent, the stored key is kept while `type` and `endpoint` stay the same, because a key is never sent to a different address.",
      }),
    ),
    context_window: Type.Optional(
      Type.Integer({
        minimum: 256,
        maximum: 10_000_000,
        description: "Context window of the provider's models, in tokens (input and output together).",
      }),
    ),
    prices: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 255 }), ProviderPrice, {
        maxProperties: 256,
        description: "Prices by model. If absent, the prices do not change.",
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
  has_key: Type.Boolean({ description: "True if an API key is stored." }),
  context_window: Type.Optional(Type.Integer()),
  prices: Type.Record(Type.String(), ProviderPrice),
  updated_at: Type.String({ description: "Time of the last change, ISO 8601 UTC." }),
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
      description: "Models listed by the server; absent if it lists none.",
    }),
  ),
  error: Type.Optional(Type.String({ description: "Error code of the failure." })),
  message: Type.Optional(Type.String()),
  hint: Type.Optional(Type.String({ description: "Suggested fix." })),
});
export type ProviderTrialResult = Static<typeof ProviderTrialResult>;

export const ProviderModels = Type.Object({
  models: Type.Array(Type.String(), {
    description: "Models listed by the provider's server, ordered by name.",
  }),
});
export type ProviderModels = Static<typeof ProviderModels>;

/** A model server that answered on this machine, with what `PUT /v1/system/providers/{name}` needs to set it up. */
export const LocalServer = Type.Object({
  program: Type.String({ description: "Program that usually listens there, such as `Ollama`." }),
  name: Type.String({ description: "Free name for the provider, or the name under which it is set up." }),
  type: Type.String(),
  endpoint: Type.String(),
  models: Type.Array(Type.String(), { description: "Models listed by the server, ordered by name." }),
  set_up: Type.Boolean({ description: "True if a provider with this address is set up." }),
});
export type LocalServer = Static<typeof LocalServer>;

/** `POST /v1/system/providers/detect`. */
export const LocalServers = Type.Object({
  servers: Type.Array(LocalServer),
  looked_at: Type.Array(Type.String(), { description: "Addresses that were asked, all on this machine." }),
});
export type LocalServers = Static<typeof LocalServers>;
