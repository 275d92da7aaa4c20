import type {
  ModelFacts,
  RecordedAgent,
  RecordedTool,
} from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import type { ConversationStore } from "../../memory/conversation.ts";
import type { ModelRouter } from "../../models/model-router.ts";
import { estimateTokens } from "../../models/token-count.ts";
import { type BoundTool, letsModelsWork, readQuickly } from "../../tools/bound-tool.ts";
import type { Tool } from "../../tools/tool.ts";

/** Live access that a fork has. */
export interface LiveParts {
  /** Returns the model call for an agent in a role, used if the recording has no answer. */
  call(agent: string, role: string | undefined): ModelRouter["call"];
  /** Returns the function that carries out calls of this tool. If undefined, the call is refused, and its result tells the model so. */
  execute(agent: string, tool: string): Tool["execute"] | undefined;
  /** Called for each tool call that was not carried out. */
  refused(agent: string, tool: string): void;
}

/**
 * An agent built from a cassette's manifest, prepared for replay. It has the recorded facts about models and tools, and reaches no model,
 * tool or store. Without `live` parts, requests to them fail.
 */
export function replayAgent(
  built: RunnableAgent,
  { models, tools: recorded }: RecordedAgent,
  live: LiveParts | undefined,
): RunnableAgent {
  const routers = new Map<string | undefined, ModelRouter>();
  const routerOf = (role: string | undefined): ModelRouter => {
    const known = routers.get(role);
    if (known !== undefined) return known;
    const facts = role !== undefined && Object.hasOwn(models.roles, role) ? models.roles[role] : models.own;
    const router = recordedRouter(facts ?? models.own, live?.call(built.name, role) ?? noModel);
    routers.set(role, router);
    return router;
  };
  const tools = new Map(
    recorded.map((tool): [string, BoundTool] => [
      tool.name,
      withoutReach(built.tools.get(tool.name) ?? stubOf(tool), executorOf(built.name, tool.name, live)),
    ]),
  );
  // Tools that the manifest declares but the recording lacks appear as a difference in the first request.
  for (const [name, bound] of built.tools) {
    if (!tools.has(name)) tools.set(name, withoutReach(bound, executorOf(built.name, name, live)));
  }
  const unoffered = new Set(recorded.filter(({ offered }) => !offered).map(({ name }) => name));
  const toolSpecs = [...tools.values()]
    .map(({ tool: { name, description, parameters } }) => ({ name, description, parameters }))
    .filter(({ name }) => !unoffered.has(name));
  return {
    ...built,
    live: undefined,
    routerFor: routerOf,
    tools,
    toolSpecs,
    toolTokens: toolSpecs.length === 0 ? 0 : estimateTokens(JSON.stringify(toolSpecs)),
    memory: { ...built.memory, store: nothingRemembered },
  };
}

/** The error of a request that would leave the process. */
export function offline(what: string): AppError {
  return new AppError("internal", "replay_offline", `A replay asked for ${what}, which it must never do.`);
}

const noModel: ModelRouter["call"] = () => {
  throw offline("a model");
};

function recordedRouter(
  { context_window, known_window, answer_tokens_max, price }: ModelFacts,
  call: ModelRouter["call"],
): ModelRouter {
  return {
    call,
    contextWindow: context_window,
    knownWindow: known_window,
    answerTokensMax: answer_tokens_max,
    dearestPrice: price,
  };
}

/** Cuts off every tool except those whose work is itself recorded (models and called agents) and proposals, which change nothing. */
function withoutReach(bound: BoundTool, execute: Tool["execute"]): BoundTool {
  // Rate limits depend on time, which a replay doesn't repeat.
  const { rateLimit, ...rest } = bound;
  if (letsModelsWork(bound) || bound.proposes) return rest;
  return { ...rest, tool: { ...bound.tool, execute } };
}

function executorOf(agent: string, name: string, live: LiveParts | undefined): Tool["execute"] {
  if (live === undefined) return () => Promise.reject(offline(`the tool ${name}`));
  return async (input, context) => {
    const execute = live.execute(agent, name);
    if (execute !== undefined) return execute(input, context);
    live.refused(agent, name);
    return {
      success: false,
      error: `${name} was not executed: this run replays a recorded one, which holds no answer to this call. Go on without it.`,
    };
  };
}

function stubOf({
  name,
  type,
  description,
  parameters,
  proposes,
  requires_approval,
}: RecordedTool): BoundTool {
  return {
    ...(proposes && { proposes }),
    ...(requires_approval && { requiresApproval: true }),
    tool: { name, type, description, parameters, execute: () => Promise.reject(offline(`the tool ${name}`)) },
    read: readQuickly((input) => ({ input: input as Record<string, unknown> })),
    timeoutMs: 30_000,
  };
}

const nothingRemembered: ConversationStore = {
  recent: async () => [],
  append: async () => {},
  clear: async () => 0,
};
