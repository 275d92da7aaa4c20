import { type Static, Type } from "@sinclair/typebox";

const instant = (description: string) => Type.String({ description: `${description} ISO 8601 UTC.` });

export const ProviderStatus = Type.Union(
  [Type.Literal("healthy"), Type.Literal("degraded"), Type.Literal("unavailable"), Type.Literal("unused")],
  {
    description:
      "The worst of its circuits: `degraded` after a failure or a failed probe, `unavailable` while a circuit is open; `unused`: no agent names it and nobody has called it.",
  },
);
export type ProviderStatus = Static<typeof ProviderStatus>;

/** Circuit breaker for one server with one key. */
export const ProviderCircuit = Type.Object({
  address: Type.Optional(
    Type.String({ description: "Scheme, host and port of the server, where one is configured." }),
  ),
  key_variable: Type.Optional(
    Type.String({ description: "The variable that an agent names for its key, when it names one." }),
  ),
  state: Type.Union([Type.Literal("closed"), Type.Literal("open"), Type.Literal("half_open")], {
    description: "`open`: nobody is let through; `half_open`: one call tries.",
  }),
  health: Type.Union([Type.Literal("healthy"), Type.Literal("degraded"), Type.Literal("unavailable")]),
  failures: Type.Integer({ minimum: 0, description: "In a row, while it is closed." }),
  reachable: Type.Optional(
    Type.Boolean({ description: "What the last probe found, or a call since; absent before the first." }),
  ),
  opened_at: Type.Optional(instant("While it is not closed: when it was opened.")),
  retry_at: Type.Optional(instant("While it is open: when the next call is let through.")),
  last_failure: Type.Optional(
    Type.Object(
      {
        code: Type.String({ description: "`unreachable`, `unusable` (no answer in what came) or `auth`." }),
        message: Type.String(),
        at: instant("When."),
      },
      { description: "Of the calls that count against the provider, since the start." },
    ),
  ),
});
export type ProviderCircuit = Static<typeof ProviderCircuit>;

export const ProviderModel = Type.Object({
  model: Type.String(),
  agents: Type.Array(Type.String(), { description: "The loaded agents that may call it." }),
  listed: Type.Boolean({ description: "Whether providers.yaml names it." }),
  context_window: Type.Optional(
    Type.Integer({ description: "Tokens, as an agent that may call it has it." }),
  ),
  price: Type.Optional(
    Type.Object(
      { input_usd: Type.Number(), output_usd: Type.Number() },
      { description: "US dollars for a million tokens; absent when nobody knows." },
    ),
  ),
});
export type ProviderModel = Static<typeof ProviderModel>;

export const Provider = Type.Object({
  name: Type.String({ description: "As manifests name it." }),
  type: Type.String({ description: "The kind: `openai`, `ollama` …" }),
  configured: Type.Union(
    [Type.Literal("stored"), Type.Literal("file"), Type.Literal("environment"), Type.Literal("agent")],
    { description: "Where it stands: the API's storage, providers.yaml, the environment, or agents alone." },
  ),
  local: Type.Boolean({ description: "Whether it runs on the operator's own machines: its calls are free." }),
  status: ProviderStatus,
  reason: Type.Optional(Type.String({ description: "Why it is not healthy." })),
  models: Type.Array(ProviderModel),
  circuits: Type.Array(ProviderCircuit),
});
export type Provider = Static<typeof Provider>;

export const ProviderList = Type.Object({
  providers: Type.Array(Provider),
  rehearsing: Type.Boolean({ description: "Whether the stand-in answers in place of every model." }),
});
export type ProviderList = Static<typeof ProviderList>;
