import type { Problem } from "../../kit/app-error.ts";
import { type ModelBlock, type ModelSection, modelCandidates } from "../../manifest/agent/model.ts";
import { defaultModels, noDefaultModel } from "./default-models.ts";
import type { Model } from "./model.ts";
import type { ResolveOptions } from "./model-sources.ts";
import { createRehearsal } from "./providers/rehearsal/rehearsal.ts";
import { resolveModel } from "./resolve-model.ts";
import type { StrategyName } from "./strategies/strategies.ts";

/** Candidates in declared order, and the strategy that chooses among them. */
export interface ModelChoice {
  candidates: Model[];
  strategy: StrategyName;
}

export interface ResolvedModels extends ModelChoice {
  /** Roles with their own models. */
  roles: ReadonlyMap<string, ModelChoice>;
  /** Problems that prevent the agent from running; empty exactly if every declared candidate was built. */
  problems: Problem[];
}

/**
 * Builds the models of an agent from its `spec.model` or from the defaults. The rehearsal is used only by name or with `rehearse`, never as
 * a fallback.
 */
export function resolveModels(section: ModelSection | undefined, options: ResolveOptions): ResolvedModels {
  const { local, hosted } = options.sources;
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
    const { blocks, strategy = usual, pathOf } = defaultModels(options.sources);
    if (blocks.length === 0 && !options.rehearse) problems.push(noDefaultModel(options.sources));
    return { candidates: build(blocks, pathOf), strategy, roles: new Map(), problems };
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

function nameOfCandidate({ fallback }: ModelSection, index: number): string {
  if (index === 0) return "primary";
  if (index === 1 && fallback) return "fallback";
  return `fallbacks[${index - (fallback ? 2 : 1)}]`;
}
