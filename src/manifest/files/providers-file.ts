import { type Static, Type } from "@sinclair/typebox";
import { modelBlock, routingStrategies } from "../agent/model.ts";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import {
  closed,
  flag,
  httpUrl,
  list,
  mapping,
  nameFrom,
  oneOf,
  text,
  variableName,
  whole,
} from "../schema/schema-vocabulary.ts";

const price = (description: string) => whole(0, 1_000_000_000_000, { description });

const prices = closed({
  in: price("Input tokens."),
  out: price("Output tokens."),
  cached: Type.Optional(price("Input tokens read from the provider's cache; absent: as `in`.")),
  written: Type.Optional(price("Input tokens written to it; absent: as `in`.")),
  audio_in: Type.Optional(price("Sound that is read; absent: as `in`.")),
  audio_out: Type.Optional(price("Sound that is made; absent: as `out`.")),
});

export const parametersStyles = ["classic", "modern", "reasoning"] as const;
export type ParametersStyle = (typeof parametersStyles)[number];

const style = (description: string) => oneOf(parametersStyles, { description });

const provider = (types: readonly string[] | undefined) =>
  closed({
    type: nameFrom(types, { description: "The kind of provider: `ollama`, `openai`, `vllm`, `anthropic` …" }),
    endpoint: Type.Optional(httpUrl({ description: "The server's address; hosted kinds know their own." })),
    api_key_env: Type.Optional(
      variableName({
        description: "Name of the environment variable that holds the key; never the key itself.",
      }),
    ),
    models: Type.Optional(
      list(text(255, { description: "A model's name." }), 256, {
        description: "The models it has; absent: any.",
      }),
    ),
    context_window: Type.Optional(
      whole(256, 10_000_000, { description: "What its models can read and write at once, in tokens." }),
    ),
    thinking_tags: Type.Optional(
      flag({
        description:
          "True: its models write their thoughts into the answer, between `<think>` and `</think>`, and they are taken out. Absent: as the model's name suggests.",
      }),
    ),
    parameters_style: Type.Optional(
      Type.Union(
        [
          style("The style of all its models."),
          Type.Record(Type.String({ maxLength: 255 }), style("The style of that model."), {
            description: "The style by model; `*` is for the others.",
          }),
        ],
        {
          description:
            "How its models take parameters: `classic` (`max_tokens`), `modern` (`max_completion_tokens`) or `reasoning` (that, and no sampling parameters). Absent: as its address suggests, and as its refusals teach.",
          expects: "`classic`, `modern` or `reasoning`, or one of them for each model",
        },
      ),
    ),
    prices: mapping(prices, {
      description: "Price of 1000 tokens per model, in millionths of a US dollar.",
      default: {},
    }),
  });

/** The schema of providers.yaml after reading: defaults filled in. */
export const providersFileSchema = (types: readonly string[] | undefined) =>
  closed(
    {
      providers: mapping(
        provider(types),
        {
          description: "The providers by the name that agents use.",
          default: {},
          expects: "a name of lower-case letters, digits, `-` and `_`",
        },
        "^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$",
      ),
      default: Type.Optional(
        closed(
          {
            candidates: Type.Array(modelBlock({}, "A candidate."), {
              minItems: 1,
              maxItems: 16,
              description: "The models of agents that name none, in order.",
            }),
            strategy: oneOf(routingStrategies, {
              description: "How a candidate is chosen.",
              default: "quality_first",
            }),
          },
          { description: "What agents without `spec.model` use." },
        ),
      ),
      circuit_breaker: closed(
        {
          failure_threshold: whole(1, 1000, {
            description: "Failures in a row that open the circuit.",
            default: 3,
          }),
          recovery_seconds: whole(1, 86_400, {
            description: "Seconds until one call may try again.",
            default: 60,
          }),
        },
        { description: "When calls of a provider are paused.", default: {} },
      ),
    },
    { title: "providers.yaml", description: "The model providers of an installation." },
  );

export type ProvidersFile = Static<ReturnType<typeof providersFileSchema>>;

/** Names allowed in providers.yaml: the kinds of providers of the executable, and the canonical name of each alias. */
export interface ProviderNames {
  types?: readonly string[];
  canonical?: (name: string) => string;
}

/** Returns providers.yaml as an executable with these providers can use it. */
export function providersFileKind({
  types,
  canonical = (name) => name,
}: ProviderNames = {}): ManifestKind<ProvidersFile> {
  return {
    id: "providers",
    schema: providersFileSchema(types),
    rules({ providers, default: fallback }, report) {
      for (const name of Object.keys(providers)) {
        const one = canonical(name);
        if (one === name || !Object.hasOwn(providers, one)) continue;
        report(
          ["providers", name],
          `is another name of ${one}, which has an entry as well; remove one of them`,
        );
      }
      for (const [index, { provider: named, model }] of (fallback?.candidates ?? []).entries()) {
        const models = Object.hasOwn(providers, named) ? providers[named]?.models : undefined;
        if (models?.includes(model) === false) {
          report(
            ["default", "candidates", index, "model"],
            `is not among the models of ${named}: ${models.join(", ")}`,
          );
        }
      }
    },
  };
}

/** Returns the file with canonical provider names: entries, types and default candidates that used an alias. */
export function canonicalProviders(file: ProvidersFile, canonical: (name: string) => string): ProvidersFile {
  const entries = Object.entries(file.providers).map(([name, entry]) => [
    canonical(name),
    { ...entry, type: canonical(entry.type) },
  ]);
  const { default: fallback } = file;
  const candidates = fallback?.candidates.map((block) => ({ ...block, provider: canonical(block.provider) }));
  return {
    ...file,
    providers: Object.fromEntries(entries),
    ...(fallback !== undefined && candidates !== undefined && { default: { ...fallback, candidates } }),
  };
}
