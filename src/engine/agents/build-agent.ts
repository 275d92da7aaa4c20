import type { Problem } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { atOnce } from "../../kit/concurrency/others-turn.ts";
import type { SecretRegistry } from "../../kit/secrets/secret-registry.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import { collectProblems, invalidManifest } from "../../manifest/fault.ts";
import type { ManifestRegistries } from "../../manifest/schema/registries.ts";
import type { Sender } from "../../manifest/senders/sender.ts";
import { compileChain } from "../chain/compile-chain.ts";
import { buildChains, type GuardrailChains } from "../guardrails/build-chains.ts";
import type { ConversationStore } from "../memory/conversation.ts";
import { type ConversationSettings, declaredStrategy } from "../memory/memory-strategy.ts";
import type { Breakers } from "../models/breakers.ts";
import type { Model } from "../models/model.ts";
import type { ResolveOptions } from "../models/model-sources.ts";
import type { Price } from "../models/price.ts";
import { type ModelChoice, type ResolvedModels, resolveModels } from "../models/resolve-models.ts";
import { createRouter, type FinishedCall } from "../models/router.ts";
import { patterns } from "../orchestration/patterns/registry.ts";
import { createPreambles } from "../prompts/preamble.ts";
import { compilePrompt } from "../prompts/prompt.ts";
import { bindSkills } from "../skills/bind-skills.ts";
import type { Skills } from "../skills/skill.ts";
import { createSchemaAllowance, type SchemaAllowance } from "../structured/schema-allowance.ts";
import { compileStructuredOutput } from "../structured/structured-output.ts";
import type { TemplateEngine } from "../templates/template.ts";
import { bindTools } from "../tools/bind-tools.ts";
import type { ToolPorts } from "../tools/builtin/builtin-tool.ts";
import { compileTriggers } from "../triggers/compile-triggers.ts";
import { agentTools, createLiveTools } from "./live-tools.ts";
import { missingFeatures } from "./missing-features.ts";
import { buildRecall, type RecallParts } from "./recall-sources.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** Dependencies for building agents. */
export interface AgentParts {
  /** Origin of the manifests that are built with these parts. */
  sender: Sender;
  /** Secrets of this manifest only; absent: the shared mask contains them. */
  secrets?: SecretRegistry;
  registries: ManifestRegistries;
  templates: TemplateEngine;
  models: ResolveOptions;
  breakers: Breakers;
  tools: ToolPorts;
  /**
   * Returns the store for an agent's conversations; nothing is opened before a run needs it. Throws AppError `invalid_manifest`, with paths
   * as in the manifest, if the store is not available.
   */
  conversationsOf: (settings: ConversationSettings | undefined) => ConversationStore;
  /** Skills of the workspace; absent: agents have only those that their manifests contain. */
  skills?: Skills;
  /** Absent: agents with semantic or episodic memory can't be built. */
  recall?: RecallParts;
  /** Returns the price of a model's tokens; undefined if unknown. */
  priceOf: (model: PricedModel) => Price | undefined;
  clock: Clock;
  modelCalled: (call: FinishedCall) => void;
}

/** Facts about a model that determine its price. */
export type PricedModel = Pick<Model, "provider" | "model" | "endpoint" | "contextWindow">;

/** Default room for an answer, in tokens, if the manifest sets no `max_tokens`. */
const answerTokensDefault = 1024;

/**
 * Builds everything that a manifest declares. Throws AppError `invalid_manifest` with all problems. `guardrails` are the manifest's own, if
 * they have been built in pieces before.
 */
export function buildAgent(
  manifest: AgentManifest,
  parts: AgentParts,
  guardrails: GuardrailChains = atOnce(buildChains(manifest)),
): RunnableAgent {
  const { metadata, spec } = manifest;
  const problems: Problem[] = missingFeatures(manifest);
  const models = resolveModels(spec.model, parts.models);
  problems.push(...models.problems);
  const schemas = createSchemaAllowance();
  const bound = bindTools(spec, parts.tools, schemas);
  problems.push(...bound.problems);
  const skills = bindSkills(spec, { ...parts.tools, ...(parts.skills && { skills: parts.skills }) });
  problems.push(...skills.problems);
  const tools = new Map([...bound.tools, ...skills.tools]);
  const pattern = patterns.get(spec.orchestration.pattern);
  if (pattern === undefined) {
    problems.push({
      path: "spec.orchestration.pattern",
      message: `is not available; there is ${[...patterns.keys()].join(", ")}`,
    });
  }
  const { input, output } = guardrails;
  problems.push(...guardrails.problems);
  const prompt = collectProblems(problems, () => compilePrompt(parts.templates, manifest));
  const structured = collectProblems(problems, () => structuredOutputOf(manifest, schemas));
  const conversations = collectProblems(problems, () => parts.conversationsOf(spec.memory.conversational));
  const recall = collectProblems(problems, () => buildRecall(manifest, parts.recall, parts.tools.knowledge));
  const chain = collectProblems(problems, () => compileChain(parts.templates, manifest));
  const triggers = collectProblems(problems, () => compileTriggers(parts.templates, manifest));
  if (problems.length > 0 || !triggers || !pattern || !input || !output || !prompt || !conversations)
    throw invalidManifest(problems);

  const routers = createRouters(models, parts);
  const workers = workersOf(manifest);
  return {
    name: metadata.name,
    description: spec.identity.description ?? "",
    sender: parts.sender,
    manifest,
    ...(parts.secrets && { secrets: parts.secrets }),
    routerFor: routers,
    strategy: models.strategy,
    candidates: [models, ...models.roles.values()].flatMap(({ candidates }) => candidates),
    ...(parts.models.limitBy === undefined ? {} : { limitBy: parts.models.limitBy }),
    prompt,
    preambleOf: createPreambles(),
    structured,
    chain,
    triggers,
    inputGuardrails: input,
    outputGuardrails: output,
    ...agentTools(tools, workers),
    live: createLiveTools(tools, bound.sources, workers),
    skills: skills.skills,
    pattern: { name: spec.orchestration.pattern, run: pattern },
    workers,
    maxIterations: spec.orchestration.max_iterations,
    maxRunTokens: spec.orchestration.max_run_tokens ?? undefined,
    timeoutMs: spec.orchestration.timeout_seconds * 1000,
    maxToolResultTokens: spec.orchestration.max_tool_result_tokens,
    answerTokens: answerTokensOf(manifest),
    memory: {
      strategy: declaredStrategy(spec.memory.conversational),
      store: conversations,
    },
    recall,
    tracing: {
      enabled: spec.observability.tracing,
      sampleRate: spec.observability.sample_rate,
      recordContent: spec.observability.record,
    },
  };
}

/** Tokens that are kept free for the answer. */
export function answerTokensOf({ spec }: AgentManifest): number {
  return spec.model?.primary.parameters.max_tokens ?? answerTokensDefault;
}

/** Creates a router for the agent's own models and one for each role with its own. Other roles use the agent's router. */
export function createRouters(
  models: ResolvedModels,
  parts: Pick<AgentParts, "breakers" | "clock" | "priceOf" | "modelCalled">,
): RunnableAgent["routerFor"] {
  const { breakers, clock, priceOf, modelCalled: observe } = parts;
  const routerOf = ({ candidates, strategy }: ModelChoice) =>
    createRouter({ candidates, strategy, breakers, clock, priceOf, observe });
  const own = routerOf(models);
  const byRole = new Map([...models.roles].map(([role, choice]) => [role, routerOf(choice)]));
  return (role) => (role === undefined ? own : (byRole.get(role) ?? own));
}

function structuredOutputOf({ spec }: AgentManifest, schemas: SchemaAllowance): RunnableAgent["structured"] {
  const declared = spec.output_schema;
  return declared === undefined
    ? undefined
    : compileStructuredOutput(declared, "spec.output_schema", schemas);
}

function workersOf({ spec }: AgentManifest): ReadonlySet<string> {
  const agents = spec.tools.filter(({ type }) => type === "agent").map(({ name }) => name);
  return new Set(spec.orchestration.workers ?? agents);
}
