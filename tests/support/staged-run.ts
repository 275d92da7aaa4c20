import type { RunResult } from "../../src/contracts/daemon/runs/run.ts";
import { buildAgent } from "../../src/engine/agents/build-agent.ts";
import { builtRegistries } from "../../src/engine/agents/manifest-registries.ts";
import type { RecallParts } from "../../src/engine/agents/recall-sources.ts";
import type { RunnableAgent } from "../../src/engine/agents/runnable-agent.ts";
import type { ConversationStore, SessionKey, Turn } from "../../src/engine/memory/conversation.ts";
import { createBreakers } from "../../src/engine/models/breakers.ts";
import type { ModelEvent, ModelRequest, ToolCall } from "../../src/engine/models/model.ts";
import type { Price } from "../../src/engine/models/price.ts";
import { createRouter } from "../../src/engine/models/router.ts";
import type { RunPorts } from "../../src/engine/run/run.ts";
import { runAgent } from "../../src/engine/run/run-agent.ts";
import type { RunEvent } from "../../src/engine/run-state/run-event.ts";
import type { EngineRequest } from "../../src/engine/run-state/run-request.ts";
import type { Allowance } from "../../src/engine/spending/allowance.ts";
import type { UsageRecord } from "../../src/engine/spending/usage-record.ts";
import { presentTrace } from "../../src/engine/telemetry/present-trace.ts";
import type { RunObserver } from "../../src/engine/telemetry/run-observer.ts";
import type { OpenTrace } from "../../src/engine/telemetry/trace.ts";
import { createTemplateCompiler } from "../../src/engine/templates/template-compiler.ts";
import { type BoundTool, readQuickly } from "../../src/engine/tools/bound-tool.ts";
import type { KnowledgeBases } from "../../src/engine/tools/rag/agent-knowledge.ts";
import type { Tool } from "../../src/engine/tools/tool.ts";
import { createMemoryCache } from "../../src/engine/tools/tool-cache.ts";
import { newId } from "../../src/kit/id.ts";
import { redact } from "../../src/kit/secrets/redact.ts";
import { SecretRegistry } from "../../src/kit/secrets/secret-registry.ts";
import { FakeClock } from "./fake-clock.ts";
import { parseAgent } from "./parse-agent.ts";
import { type LoggedEvent, recordingLogger } from "./recording-logger.ts";
import { endOfAnswer, type ScriptedCall, type ScriptedModel, scriptedModel } from "./scripted-model.ts";
import { toolPorts } from "./tool-ports.ts";

/** One agent of a stage. */
export interface StagedAgent {
  /** The manifest's `spec`, without the model. */
  spec?: Record<string, unknown>;
  /** The model's behaviour, call by call; the last repeats. */
  calls?: readonly ScriptedCall[];
  /** A second candidate, `spare`, for when the first fails. */
  fallback?: readonly ScriptedCall[];
  /** The calls of role models; a role that is not listed uses the agent's own model. */
  roles?: Record<string, readonly ScriptedCall[]>;
  contextWindow?: number;
  simulated?: boolean;
  /** Price of every model of the agent; unknown by default. */
  price?: Price;
  /** Tools besides those of the manifest; `timeoutMs` is 30 s by default. */
  tools?: readonly (ScriptedTool & { timeoutMs?: number; requiresApproval?: boolean })[];
}

export interface StageOptions extends StagedAgent {
  /** Further agents by name, for tools, swarms and chains. */
  agents?: Record<string, StagedAgent>;
  /** The budgets of agents by name. */
  budgets?: Record<string, Allowance>;
  memory?: ConversationStore;
  /** Semantic and episodic memories, for agents that declare them. */
  recall?: RecallParts;
  /** Documents, for agents that declare them. */
  knowledge?: KnowledgeBases;
  /** Masks known secrets in traces. */
  secrets?: SecretRegistry;
  random?: () => number;
}

export type ScriptedTool = Pick<Tool, "name" | "execute">;

/** An agent with scripted model and tools, and everything that its runs report. */
export interface Stage {
  agent: RunnableAgent;
  clock: FakeClock;
  model: ScriptedModel;
  /** Returns the model of a further agent, of a role, or the spare one: `billing`, `staged/planner`, `staged/spare`. */
  modelOf(name: string): ScriptedModel;
  /** The reported usage and costs. */
  usage: UsageRecord[];
  turns: (sessionId?: string, agent?: string) => Promise<Turn[]>;
  /** Returns the number of the model's answers that are still being read. */
  openAnswers: () => number;
  started: string[];
  finished: Parameters<RunObserver["runFinished"]>[0][];
  toolsExecuted: Parameters<RunObserver["toolExecuted"]>[0][];
  /** Memories that failed without ending the run. */
  memoriesFailed: Parameters<RunObserver["memoryFailed"]>[0][];
  traces: OpenTrace[];
  logged: LoggedEvent[];
  /** The ports of its runs. */
  ports: RunPorts;
  requestOf(request?: Partial<EngineRequest>): EngineRequest;
  start(request?: Partial<EngineRequest>): AsyncGenerator<RunEvent, void>;
  /** Runs to the end and returns the outcome. */
  run(request?: Partial<EngineRequest>): Promise<Played>;
}

/** The output of a run for its reader. */
export interface Played {
  events: RunEvent[];
  /** The token contents joined. */
  tokens: string;
  result: RunResult | undefined;
  thrown: unknown;
}

export function stage(options: StageOptions = {}): Stage {
  const { memory = memoryConversations(), random = () => 0, agents = {}, budgets = {} } = options;
  const clock = new FakeClock();
  const reading = { open: 0 };
  const models = new Map<string, ScriptedModel>();
  const cast = new Map(
    Object.entries({ staged: options, ...agents }).map(([name, staged]) => [
      name,
      castAgent(name, staged, { clock, memory, models, reading, ...options }),
    ]),
  );
  const modelOf = (name: string) => {
    const model = models.get(name);
    if (model === undefined) throw new Error(`no model of ${name} on this stage`);
    return model;
  };
  const agent = cast.get("staged");
  if (agent === undefined) throw new Error("no agent");
  const { log, logged } = recordingLogger();
  const record: Pick<
    Stage,
    "started" | "finished" | "toolsExecuted" | "memoriesFailed" | "traces" | "logged" | "usage"
  > = {
    started: [],
    finished: [],
    toolsExecuted: [],
    memoriesFailed: [],
    traces: [],
    logged,
    usage: [],
  };
  const ports: RunPorts = {
    clock,
    newId,
    random,
    observer: {
      runStarted: (name, sessionId) => record.started.push(`${name}/${sessionId}`),
      runFinished: (run) => record.finished.push(run),
      toolExecuted: (call) => record.toolsExecuted.push(call),
      memoryFailed: (fault) => record.memoriesFailed.push(fault),
    },
    traces: { record: (_tenant, trace) => record.traces.push(presentTrace(trace)) },
    usage: { record: (records) => record.usage.push(...records) },
    budgetOf: (_tenant, name) => budgets[name],
    findAgent: (tenant, name) => (tenant === "t" ? cast.get(name) : undefined),
    log,
    redact: (value) => redact(value, options.secrets ?? new SecretRegistry()),
  };
  const requestOf = (request: Partial<EngineRequest> = {}): EngineRequest => ({
    tenant: "t",
    sessionId: "s",
    query: "hi",
    context: {},
    stream: true,
    cancelledBy: [],
    ...request,
  });
  const start = (request?: Partial<EngineRequest>) => runAgent(ports, agent, requestOf(request));
  return {
    agent,
    clock,
    model: modelOf("staged"),
    modelOf,
    turns: (sessionId = "s", name = agent.name) =>
      memory.recent({ tenant: "t", agent: name, sessionId }, 1000),
    openAnswers: () => reading.open,
    ...record,
    ports,
    requestOf,
    start,
    run: (request) => play(start(request)),
  };
}

interface Backstage extends Pick<StageOptions, "recall" | "knowledge"> {
  clock: FakeClock;
  memory: ConversationStore;
  models: Map<string, ScriptedModel>;
  reading: { open: number };
}

/** Builds an agent from its manifest, with scripted models and tools. */
function castAgent(name: string, staged: StagedAgent, backstage: Backstage): RunnableAgent {
  const { calls = ["Hello there."], roles = {}, tools = [], price } = staged;
  const { clock, models, reading } = backstage;
  const modelOf = (who: string, script: readonly ScriptedCall[], provider = "lab") => {
    const { contextWindow = 8000, simulated = false } = staged;
    const model = watched(scriptedModel({ provider, contextWindow, simulated }, script), reading);
    models.set(who, model);
    return model;
  };
  const routerOf = (who: string, script: readonly ScriptedCall[]) => {
    const { fallback } = staged;
    return createRouter({
      candidates: [
        modelOf(who, script),
        ...(fallback === undefined ? [] : [modelOf(`${who}/spare`, fallback, "spare")]),
      ],
      strategy: "quality_first",
      breakers: createBreakers(clock),
      clock,
      ...(price === undefined ? {} : { priceOf: () => price }),
    });
  };
  const own = routerOf(name, calls);
  const byRole = new Map(
    Object.entries(roles).map(([role, script]) => [role, routerOf(`${name}/${role}`, script)]),
  );
  const built = buildStaged(name, staged.spec ?? {}, backstage);
  const bound = new Map([
    ...built.tools,
    ...tools.map((tool): [string, BoundTool] => [tool.name, bind(tool)]),
  ]);
  return {
    ...built,
    routerFor: (role) => (role === undefined ? own : (byRole.get(role) ?? own)),
    tools: bound,
    toolSpecs: [...bound.values()].map(({ tool: { name, description, parameters } }) => ({
      name,
      description,
      parameters,
    })),
  };
}

/** Wraps the model: copies its requests, and counts its answers while they are read. */
function watched(model: ScriptedModel, reading: { open: number }): ScriptedModel {
  return {
    ...model,
    async *call(request, signal) {
      reading.open++;
      try {
        yield* model.call(structuredClone(request), signal);
      } finally {
        reading.open--;
      }
    },
  };
}

/** Reads a run to its end. */
export async function play(run: AsyncIterable<RunEvent>): Promise<Played> {
  const played: Played = { events: [], tokens: "", result: undefined, thrown: undefined };
  try {
    for await (const event of run) {
      played.events.push(event);
      if (event.type === "token") played.tokens += event.content;
      if (event.type === "done") {
        const { result, trace } = event;
        played.result = trace === undefined ? result : { ...result, trace: presentTrace(trace) };
      }
    }
  } catch (thrown) {
    played.thrown = thrown;
  }
  return played;
}

/** Returns the events of an answer in these pieces. */
export function says(...pieces: string[]): ModelEvent[] {
  return [...pieces.map((text): ModelEvent => ({ type: "text", text })), endOfAnswer];
}

/** Returns the events of a turn with `text` and tool calls; a call is a name, or a whole call. */
export function asks(text: string, ...calls: (string | Partial<ToolCall>)[]): ModelEvent[] {
  const wanted = calls.map((call, index): ModelEvent => {
    const given = typeof call === "string" ? { name: call } : call;
    return { type: "tool_call", call: { id: `c${index}`, name: "tool", input: {}, ...given } };
  });
  return [
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...wanted,
    { ...endOfAnswer, finish: "tool_calls" },
  ];
}

/** Returns the messages of the model's latest call, one line each. */
export function told(model: ScriptedModel): string[] {
  const request: ModelRequest | undefined = model.requests.at(-1);
  return (request?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);
}

/** Conversations in this process. */
export function memoryConversations(): ConversationStore {
  const sessions = new Map<string, Turn[]>();
  const idOf = ({ tenant, agent, sessionId }: SessionKey) => JSON.stringify([tenant, agent, sessionId]);
  return {
    recent: async (key, limit) => (sessions.get(idOf(key)) ?? []).slice(-limit),
    async append(key, turns) {
      sessions.set(idOf(key), [...(sessions.get(idOf(key)) ?? []), ...turns]);
    },
    async clear(key) {
      const removed = sessions.get(idOf(key))?.length ?? 0;
      sessions.delete(idOf(key));
      return removed;
    },
  };
}

/** Rejects with the signal's reason once it aborts, and never resolves. */
export function untilAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function buildStaged(
  name: string,
  spec: Record<string, unknown>,
  { clock, memory, recall, knowledge }: Backstage,
): RunnableAgent {
  const registries = builtRegistries();
  const manifest = parseAgent(
    {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name },
      spec: { model: { primary: { provider: "rehearsal", model: "rehearsal" } }, ...spec },
    },
    { registries },
  );
  const templates = {
    compile: createTemplateCompiler().compile,
    renderUntrusted: () => Promise.reject(new Error("no template of a model's is rendered here")),
    close() {},
  };
  return buildAgent(manifest, {
    sender: "file",
    registries,
    templates,
    models: { sources: { variable: () => undefined }, ports: { fetch, clock, newId } },
    breakers: createBreakers(clock),
    tools: toolPorts({
      templates,
      cache: createMemoryCache(clock),
      clock,
      ...(knowledge && { knowledge }),
    }),
    conversationsOf: () => memory,
    ...(recall && { recall }),
    priceOf: () => undefined,
    clock,
    modelCalled: () => {},
  });
}

function bind({
  name,
  execute,
  timeoutMs = 30_000,
  requiresApproval = false,
}: ScriptedTool & { timeoutMs?: number; requiresApproval?: boolean }): BoundTool {
  return {
    tool: { name, type: "builtin", description: `Does ${name}.`, parameters: { type: "object" }, execute },
    read: readQuickly((input) => ({ input: input as Record<string, unknown> })),
    timeoutMs,
    ...(requiresApproval && { requiresApproval }),
  };
}
