import { type Static, Type } from "@sinclair/typebox";
import type { ManifestRegistries } from "../schema/registries.ts";
import {
  closed,
  flag,
  httpUrl,
  list,
  mapping,
  nameFrom,
  number,
  oneOf,
  text,
  variableName,
  whole,
} from "../schema/schema-vocabulary.ts";

export const routingStrategies = [
  "quality_first",
  "cost_optimized",
  "latency_optimized",
  "round_robin",
  "capability_match",
] as const;

export const reasoningEfforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;

/** How a router chooses among candidates. */
export const routingStrategy = (description: string) =>
  oneOf(routingStrategies, { description, default: "quality_first" });

const modelParameters = closed(
  {
    temperature: Type.Optional(number(0, 2, { description: "Randomness of the answer." })),
    top_p: Type.Optional(number(0, 1, { description: "Share of probability mass that is sampled from." })),
    top_k: Type.Optional(
      whole(1, 1000, { description: "Number of likeliest tokens that are sampled from." }),
    ),
    max_tokens: Type.Optional(whole(1, 1_000_000, { description: "Longest answer, in tokens." })),
    frequency_penalty: Type.Optional(
      number(-2, 2, { description: "Lowers the odds of tokens by how often they stand already." }),
    ),
    presence_penalty: Type.Optional(
      number(-2, 2, { description: "Lowers the odds of tokens that stand already." }),
    ),
    seed: Type.Optional(
      whole(0, 2_147_483_647, { description: "Makes answers repeatable where the provider can." }),
    ),
    reasoning_effort: Type.Optional(
      oneOf(reasoningEfforts, { description: "How long a reasoning model thinks before it answers." }),
    ),
    parallel_tool_calls: Type.Optional(
      flag({ description: "False: the model asks for one tool call at a time." }),
    ),
    stop: Type.Optional(
      list(text(256, { description: "A text that ends the answer." }), 16, {
        description: "Texts that end the answer where they would begin.",
      }),
    ),
  },
  {
    description: "Sampling parameters; what a provider does not know is refused when the agent loads.",
    default: {},
  },
);

/** A model at a provider. */
export const modelBlock = (registries: ManifestRegistries, description: string) =>
  closed(
    {
      provider: nameFrom(registries.providers, {
        description:
          "A provider of the registry (`openai`, `ollama`, `anthropic` …) or the name of an entry of providers.yaml.",
      }),
      model: text(255, { description: "The model's name at the provider." }),
      endpoint: Type.Optional(
        httpUrl({
          description:
            "The server's address. Self-hosted providers need one here, in providers.yaml or in the environment.",
        }),
      ),
      api_key_env: Type.Optional(
        variableName({
          description: "Name of the environment variable that holds the key; never the key itself.",
        }),
      ),
      timeout_seconds: whole(1, 3600, { description: "Longest model call, in seconds.", default: 120 }),
      context_window: Type.Optional(
        whole(256, 10_000_000, {
          description:
            "What the model can read and write at once, in tokens, where the provider's default is wrong.",
        }),
      ),
      parameters: modelParameters,
    },
    { description },
  );

const rolePattern =
  "^(planner|worker|synthesizer|supervisor|summarizer|stage:[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?)$";

/** `spec.model`: the models that may answer, and the strategy of choice. */
export const modelSection = (registries: ManifestRegistries) =>
  closed(
    {
      primary: modelBlock(registries, "The first candidate."),
      fallback: Type.Optional(modelBlock(registries, "The candidate tried when the first fails.")),
      fallbacks: list(modelBlock(registries, "A further candidate."), 8, {
        description: "More candidates, tried in order after `fallback`.",
        default: [],
      }),
      routing: closed(
        {
          strategy: Type.Optional(
            routingStrategy(
              "How a candidate is chosen; `cost_optimized` when a local and a hosted provider were configured from the environment.",
            ),
          ),
          health_check_interval: whole(1, 86_400, {
            description: "Seconds between probes of the candidates.",
            default: 30,
          }),
        },
        { description: "The choice among the candidates.", default: {} },
      ),
      roles: mapping(
        closed({
          candidates: Type.Array(modelBlock(registries, "A candidate of this role."), {
            minItems: 1,
            maxItems: 8,
            description: "The models that may take this role, in order.",
          }),
          strategy: Type.Optional(routingStrategy("How a candidate is chosen.")),
        }),
        {
          description:
            "An own choice of models per role: `planner`, `worker`, `synthesizer`, `supervisor`, `summarizer`, `stage:<name>`.",
          default: {},
          expects: "`planner`, `worker`, `synthesizer`, `supervisor`, `summarizer` or `stage:<name>`",
        },
        rolePattern,
      ),
    },
    {
      description:
        "The models. Without it the agent runs on the default model: see `spec.model_defaults` of runtime.yaml.",
    },
  );

export type ModelSection = Static<ReturnType<typeof modelSection>>;
export type ModelBlock = Static<ReturnType<typeof modelBlock>>;

/** Returns the candidates in the order of their declaration. */
export function modelCandidates(model: ModelSection): ModelBlock[] {
  return [model.primary, ...(model.fallback === undefined ? [] : [model.fallback]), ...model.fallbacks];
}
