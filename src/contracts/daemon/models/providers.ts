import { type Static, Type } from "@sinclair/typebox";

const instant = (description: string) => Type.String({ description: `${description} ISO 8601 UTC.` });

export const ProviderStatus = Type.Union(
  [Type.Literal("healthy"), Type.Literal("degraded"), Type.Literal("unavailable"), Type.Literal("unused")],
  {
    description:
      "Worst status among the provider's circuits. `degraded`: after a failed call or probe; `unavailable`: a circuit is open; `unused`: no agent names the provider and it has received no calls.",
  },
);
export type ProviderStatus = Static<typeof ProviderStatus>;

/** Circuit breaker for one server with one key. */
export const ProviderCircuit = Type.Object({
  address: Type.Optional(
    Type.String({ description: "Scheme, host and port of the server, if one is configured." }),
  ),
  key_variable: Type.Optional(
    Type.String({ description: "Environment variable that an agent names for its API key, if any." }),
  ),
  state: Type.Union([Type.Literal("closed"), Type.Literal("open"), Type.Literal("half_open")], {
    description: "State of the circuit. `open`: no calls are sent; `half_open`: one trial call is sent.",
  }),
  health: Type.Union([Type.Literal("healthy"), Type.Literal("degraded"), Type.Literal("unavailable")]),
  failures: Type.Integer({
    minimum: 0,
    description: "Number of consecutive failures while the circuit is closed.",
  }),
  reachable: Type.Optional(
    Type.Boolean({
      description:
        "True if the latest probe, or a later call, reached the server; absent before the first one.",
    }),
  ),
  opened_at: Type.Optional(instant("Time the circuit opened; absent while it is closed.")),
  retry_at: Type.Optional(instant("Time from which the next call is sent; only while the circuit is open.")),
  last_failure: Type.Optional(
    Type.Object(
      {
        code: Type.String({
          description: "`unreachable`, `unusable` (the response contained no answer) or `auth`.",
        }),
        message: Type.String(),
        at: instant("Time of the failure."),
      },
      {
        description:
          "Latest failure since the daemon's start, among the calls that count against the provider.",
      },
    ),
  ),
});
export type ProviderCircuit = Static<typeof ProviderCircuit>;

export const ProviderModel = Type.Object({
  model: Type.String(),
  agents: Type.Array(Type.String(), { description: "Loaded agents that may call the model." }),
  listed: Type.Boolean({ description: "True if providers.yaml names the model." }),
  context_window: Type.Optional(
    Type.Integer({
      description: "Context window in tokens, as configured for an agent that may call the model.",
    }),
  ),
  price: Type.Optional(
    Type.Object(
      { input_usd: Type.Number(), output_usd: Type.Number() },
      { description: "Price per million tokens, in US dollars; absent if unknown." },
    ),
  ),
});
export type ProviderModel = Static<typeof ProviderModel>;

export const Provider = Type.Object({
  name: Type.String({ description: "Name of the provider, as used in manifests." }),
  type: Type.String({ description: "Type of provider, such as `openai` or `ollama`." }),
  configured: Type.Union(
    [Type.Literal("stored"), Type.Literal("file"), Type.Literal("environment"), Type.Literal("agent")],
    {
      description:
        "Source of the configuration. `stored`: saved through the API; `file`: providers.yaml; `environment`: environment variables; `agent`: only agents name it.",
    },
  ),
  local: Type.Boolean({
    description: "True if the provider runs on the operator's own machines. Its calls are free.",
  }),
  status: ProviderStatus,
  reason: Type.Optional(Type.String({ description: "Reason why the provider is not healthy." })),
  models: Type.Array(ProviderModel),
  circuits: Type.Array(ProviderCircuit),
});
export type Provider = Static<typeof Provider>;

export const ProviderList = Type.Object({
  providers: Type.Array(Provider),
  rehearsing: Type.Boolean({ description: "True if the rehearsal stand-in answers instead of every model." }),
});
export type ProviderList = Static<typeof ProviderList>;
