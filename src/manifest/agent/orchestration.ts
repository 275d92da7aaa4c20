import { Type } from "@sinclair/typebox";
import type { ManifestRegistries } from "../schema/registries.ts";
import { closed, list, name, oneOf, template, toolName, whole } from "../schema/schema-vocabulary.ts";

export const orchestrationPatterns = [
  "react",
  "plan_and_execute",
  "parallel_fan_out",
  "pipeline",
  "supervisor",
  "swarm",
] as const;

/** The part that runtime.yaml may set for every agent (`spec.defaults.orchestration`). */
export const orchestrationBasics = ({ patterns, orchestrationDefaults: defaults }: ManifestRegistries) => ({
  pattern: oneOf(
    orchestrationPatterns,
    { description: "How the agent reaches an answer.", default: defaults?.pattern ?? "react" },
    patterns,
  ),
  max_iterations: whole(1, 1000, {
    description: "Model calls of the reasoning loop.",
    default: defaults?.max_iterations ?? 10,
  }),
  timeout_seconds: whole(1, 3600, {
    description: "Longest run, in seconds.",
    default: defaults?.timeout_seconds ?? 120,
    aliases: ["timeout"],
  }),
});

/** `spec.orchestration`: how the agent reaches an answer, and its limits. */
export const orchestrationSection = (registries: ManifestRegistries) =>
  closed(
    {
      ...orchestrationBasics(registries),
      max_tool_result_tokens: whole(1, 1_000_000, {
        description: "Tokens of a tool's result that the model sees; the rest is cut.",
        default: 8000,
      }),
      max_run_tokens: Type.Union([whole(1, 1_000_000_000, { description: "Tokens." }), Type.Null()], {
        description: "Hard limit of the tokens of a run, all model calls together; null: none.",
        default: null,
      }),
      workers: Type.Optional(
        list(toolName({ description: "The name of a tool of type agent." }), 64, {
          description: "`supervisor`, `swarm`: the agent tools it may use; absent: all its agent tools.",
        }),
      ),
      stages: Type.Optional(
        Type.Array(
          closed({
            name: name({ description: "The stage's name; unique." }),
            prompt: template({ description: "Jinja2 template of the stage's instruction." }),
          }),
          {
            minItems: 1,
            maxItems: 32,
            description: "`pipeline`: its stages in order; absent: analyze, process, synthesize.",
          },
        ),
      ),
    },
    { description: "How an answer is reached.", default: {} },
  );
