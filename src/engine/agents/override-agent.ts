import type { RunOverride } from "../../contracts/daemon/runs/run-override.ts";
import { AppError, type Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import { collectProblems } from "../../manifest/fault.ts";
import { overrideModels } from "../models/override-models.ts";
import { resolveModels } from "../models/resolve-models.ts";
import { createPreambles } from "../prompts/preamble.ts";
import { compilePrompt } from "../prompts/prompt.ts";
import { type AgentParts, answerTokensOf, createRouters } from "./build-agent.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** The parts for models and prompts. The rest of the agent, such as memory and tools, stays as loaded. */
export type OverrideParts = Pick<
  AgentParts,
  "models" | "templates" | "breakers" | "clock" | "priceOf" | "modelCalled"
>;

/**
 * The agent with another model, sampling or system prompt, as if its manifest declared them. Throws AppError `invalid_override` with all
 * problems.
 */
export function overrideAgent(
  agent: RunnableAgent,
  override: RunOverride,
  parts: OverrideParts,
): RunnableAgent {
  const problems: Problem[] = [];
  const manifest = overrideManifest(agent.manifest, override, parts);
  const { limitBy } = agent;
  const models = resolveModels(manifest.spec.model, { ...parts.models, ...(limitBy && { limitBy }) });
  problems.push(...models.problems);
  const prompt = collectProblems(problems, () => compilePrompt(parts.templates, manifest));
  if (problems.length > 0 || prompt === undefined) throw invalidOverride(problems, override);
  return {
    ...agent,
    manifest,
    routerFor: createRouters(models, parts),
    strategy: models.strategy,
    candidates: [models, ...models.roles.values()].flatMap(({ candidates }) => candidates),
    prompt,
    preambleOf: createPreambles(),
    answerTokens: answerTokensOf(manifest),
  };
}

function overrideManifest(
  manifest: AgentManifest,
  override: RunOverride,
  { models }: OverrideParts,
): AgentManifest {
  const { system_prompt: system, ...ofModel } = override;
  const { spec } = manifest;
  const model =
    Object.keys(ofModel).length === 0 ? spec.model : overrideModels(spec.model, override, models.sources);
  return {
    ...manifest,
    spec: {
      ...spec,
      ...(model === undefined ? {} : { model }),
      prompts: { ...spec.prompts, ...(system === undefined ? {} : { system }) },
    },
  };
}

function invalidOverride(problems: readonly Problem[], override: RunOverride): AppError {
  const own = problems.map((problem) => inRequest(problem, override));
  const [first] = own;
  const more = own.length > 1 ? ` (and ${own.length - 1} more)` : "";
  return new AppError(
    "invalid",
    "invalid_override",
    `The override is not valid: ${first?.path} ${first?.message}${more}`,
    { details: { problems: own } },
  );
}

/** Converts the path of a manifest problem to the field of the request that caused it. */
function inRequest(problem: Problem, { provider }: RunOverride): Problem {
  const { path, message } = problem;
  if (path === "spec.prompts.system") return { ...problem, path: "override.system_prompt" };
  if (path === "spec.model") return { ...problem, path: "override.model" };
  const [, key] = ofCandidate.exec(path) ?? [];
  if (key === undefined) return problem;
  if (key !== "endpoint" && key !== "api_key_env") return { ...problem, path: `override.${key}` };
  if (provider === undefined) return problem;
  return { ...problem, path: "override.provider", message: `can't be used: its ${key} ${message}` };
}

const ofCandidate = /^spec\.model\.(?:primary|fallback|fallbacks\[\d+\])\.(?:parameters\.)?(\w+)$/;
