import type { Problem } from "../../kit/app-error.ts";
import { type ModelBlock, type ModelSection, modelCandidates } from "../../manifest/model.ts";
import type { Model } from "./model.ts";
import type { ModelSources, ResolveOptions } from "./model-sources.ts";
import { createRehearsal } from "./providers/rehearsal.ts";
import { resolveModel } from "./resolve-model.ts";
import type { StrategyName } from "./strategies/strategies.ts";

/** Candidates in declared order, and how one is chosen among them. */
export interface ModelChoice {
  candidates: Model[];
  strategy: StrategyName;
}

export interface ResolvedModels extends ModelChoice {
  /** The roles that have models of their own. */
  roles: ReadonlyMap<string, ModelChoice>;
  /** What keeps the agent from running; empty exactly when every declared candidate was built. */
  problems: Problem[];
}

/**
 * Builds the models of an agent from its `spec.model`, or from the defaults where it has none. The rehearsal comes in only by
 * name or by `rehearse`, never because nothing else is there.
 */
export function resolveModels(section: ModelSection | undefined, options: ResolveOptions): ResolvedModels {
  const { local, hosted, file } = options.sources;
  const usual: StrategyName = local && hosted ? "cost_optimized" : "quality_first";
  const problems: Problem[] = [];
  const build = (blocks: readonly ModelBlock[], pathOf: (index: number) => string): Model[] => {
    if (options.rehearse) return [createRehearsal()];
    return blocks.flatMap((block, index) => {
      const { model, problems: found } = resolveModel(
        block,
        pathOf(index),
        options.optionsOf?.(block) ?? options,
      );
      problems.push(...found);
      return model ?? [];
    });
  };

  if (!section) {
    const blocks = defaultBlocks(options.sources);
    if (blocks.length === 0 && !options.rehearse) problems.push(noModel(options.sources));
    const candidates = build(blocks, (index) => `providers.yaml default.candidates[${index}]`);
    return { candidates, strategy: file?.default?.strategy ?? usual, roles: new Map(), problems };
  }

  const candidates = build(
    modelCandidates(section),
    (index) => `spec.model.${nameOfCandidate(section, index)}`,
  );
  const roles = Object.entries(section.roles).map(([role, own]): [string, ModelChoice] => [
    role,
    {
      candidates: build(own.candidates, (index) => `spec.model.roles.${role}.candidates[${index}]`),
      strategy: own.strategy ?? usual,
    },
  ]);
  return { candidates, strategy: section.routing.strategy ?? usual, roles: new Map(roles), problems };
}

/** The candidates of an agent that names none: those of providers.yaml, else the first model of each server found. */
export function defaultBlocks({ file, local, hosted }: ModelSources): ModelBlock[] {
  if (file?.default) return file.default.candidates;
  const found = [
    { provider: "ollama", model: local?.models[0] },
    { provider: "openai", model: hosted?.models[0] },
  ];
  return found.flatMap(({ provider, model }) =>
    model === undefined ? [] : { provider, model, timeout_seconds: 120, parameters: {} },
  );
}

function noModel({ local, hosted }: ModelSources): Problem {
  const mend =
    local || hosted
      ? "the configured server lists no model; name one in spec.model.primary or in `default` of providers.yaml"
      : "name one in spec.model.primary or in `default` of providers.yaml, or set LOCAL_MODEL_HOST or HOSTED_LLM_API_KEY";
  return { path: "spec.model", message: `is missing: ${mend}` };
}

function nameOfCandidate({ fallback }: ModelSection, index: number): string {
  if (index === 0) return "primary";
  if (index === 1 && fallback) return "fallback";
  return `fallbacks[${index - (fallback ? 2 : 1)}]`;
}
