import type { Trace } from "../../src/contracts/daemon/runs/run.ts";
import type { RegisterAgent } from "../../src/contracts/runtime/agents.ts";
import type { RuntimeClient, RuntimeFrame } from "../../src/contracts/runtime/client.ts";
import type {
  EndedRuns,
  LateTokens,
  RunEnded,
  RuntimeDecision,
  RuntimeRun,
} from "../../src/contracts/runtime/runs.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { type StagedDocuments, stagedDocuments } from "./staged-documents.ts";

/** A staged runtime's behaviour in a run: frames, the last of them `ended`. */
export type RuntimeScript = (
  run: RuntimeRun | RuntimeDecision,
  cancelled: AbortSignal,
) => AsyncIterable<RuntimeFrame>;

/** A runtime with scripted runs that records its calls. */
export interface StagedRuntime extends RuntimeClient {
  /** Agents by their runtime names. */
  agents: Map<string, RegisterAgent>;
  runs: { name: string; run: RuntimeRun }[];
  decisions: { id: string; decision: RuntimeDecision }[];
  cancelled: string[];
  /** The deregistered agents, in order. */
  forgotten: { name: string; agentId: string | undefined }[];
  /** The sessions that agents were told to forget, in order. */
  forgottenSessions: { name: string; tenantId: string; agentId: string; sessionId: string }[];
  /** Durable runs whose steps were deleted, in order. */
  stepsForgotten: EndedRuns["runs"];
  documents: StagedDocuments;
  /** Traces by tenant and id, with a space between them. */
  traces: Map<string, Trace>;
  /** Tokens that are taken next. */
  lateTokens: LateTokens[];
  /** How runs go from now on. */
  plays(script: RuntimeScript): void;
}

/** The last frame of a run that answered; its usage is of `lab/test-model`. */
export function ended(change: Partial<RunEnded> = {}): RunEnded {
  return {
    type: "ended",
    outcome: "ok",
    result: { response: "Hello there.", session_id: "s", trace_id: "t1", tool_calls: [] },
    usage: [
      {
        provider: "lab",
        model: "test-model",
        role: "main",
        tokens_in: 100,
        tokens_out: 20,
        tokens_cached: 0,
        estimated: false,
      },
    ],
    duration_ms: 12,
    ...change,
  };
}

const answers: RuntimeScript = async function* () {
  yield { type: "token", content: "Hello there." };
  yield ended();
};

export function stagedRuntime(): StagedRuntime {
  let script = answers;
  const cancels = new Map<string, AbortController>();
  const agents = new Map<string, RegisterAgent>();
  const lateTokens: LateTokens[] = [];
  const runs: StagedRuntime["runs"] = [];
  const decisions: StagedRuntime["decisions"] = [];
  const cancelled: string[] = [];
  const stepsForgotten: StagedRuntime["stepsForgotten"] = [];
  const forgotten: StagedRuntime["forgotten"] = [];
  const forgottenSessions: StagedRuntime["forgottenSessions"] = [];
  const traces: StagedRuntime["traces"] = new Map();
  const perform = async function* (run: RuntimeRun | RuntimeDecision) {
    const controller = new AbortController();
    cancels.set(run.run_id, controller);
    try {
      yield* script(run, controller.signal);
    } finally {
      cancels.delete(run.run_id);
    }
  };
  return {
    lateTokens,
    stepsForgotten,
    traces,
    agents,
    runs,
    decisions,
    cancelled,
    forgotten,
    forgottenSessions,
    plays(next) {
      script = next;
    },
    async register(name, agent) {
      const status = agents.get(name)?.checksum === agent.checksum ? "unchanged" : "registered";
      agents.set(name, agent);
      const candidates = [{ provider: "lab", model: "test-model", role: "main" }];
      return { runtime_name: name, checksum: agent.checksum, status, candidates, references: [] };
    },
    check: async () => [],
    async deregister(name, agentId) {
      forgotten.push({ name, agentId });
      agents.delete(name);
    },
    async forgetSession(name, session) {
      forgottenSessions.push({ name, ...session });
    },
    forgetRuns: async () => {},
    async unload(name) {
      agents.delete(name);
    },
    list: async () => ({
      agents: [...agents].map(([runtime_name, { checksum }]) => ({ runtime_name, checksum })),
    }),
    run(name, run) {
      if (!agents.has(name)) throw new AppError("not_found", "agent_not_found", `No agent ${name}.`);
      runs.push({ name, run });
      return perform(run);
    },
    decide(id, decision) {
      decisions.push({ id, decision });
      return perform(decision);
    },
    async cancel(runId) {
      cancelled.push(runId);
      cancels.get(runId)?.abort();
    },
    forgetSteps: async (runs) => void stepsForgotten.push(...runs),
    takeLateUsage: async () => lateTokens.splice(0),
    trace: async (tenant, traceId) => traces.get(`${tenant} ${traceId}`),
    traceTexts: async (tenant, ids) =>
      new Map(
        ids.flatMap((id) => {
          const { input, output } = traces.get(`${tenant} ${id}`)?.spans[0]?.attributes ?? {};
          const texts = {
            ...(typeof input === "string" && { question: input }),
            ...(typeof output === "string" && { answer: output }),
          };
          return Object.keys(texts).length === 0 ? [] : [[id, texts]];
        }),
      ),
    judge: async () => {},
    unjudge: async () => {},
    stored: async () => [],
    documents: stagedDocuments(),
    catalog: async () => ({ builtins: [], guardrails: [], providers: [], integrations: [] }),
  };
}
