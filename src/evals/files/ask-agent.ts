import type { RunRequest } from "../../contracts/daemon/runs/run.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import type { Observation } from "../checks/observation.ts";
import { costOfTrace, type KnownPrices, observeFailure, observeResult } from "../running/observe-run.ts";
import type { Attempt, EvalTarget } from "../running/plan-attempts.ts";
import type { EvalClient } from "./plan-eval.ts";

export interface AskOptions {
  client: Pick<EvalClient, "run" | "getTrace" | "clearHistory" | "getCassetteText" | "deleteCassette">;
  agent: string;
  others: "refuse" | "execute";
  prices: KnownPrices;
  newId: () => string;
  /** Fingerprint of the version that must answer; absent: the one in service. */
  version?: string | undefined;
  /** Receives the recording of each turn, if the runs are recorded. */
  keepRecording?: ((attempt: Attempt, turn: number, text: string) => Promise<void>) | undefined;
}

/**
 * Errors of runs that say nothing about the agent's answers: the operator, a budget or this installation stopped the run, and would stop the
 * next one.
 */
const stoppedFromOutside: ReadonlySet<string> = new Set([
  "agent_failed",
  "agent_not_found",
  "agent_not_ready",
  "agent_paused",
  "agent_version_changed",
  "budget_exceeded",
  "invalid_override",
  "invalid_request",
  "memory_unavailable",
  "run_cancelled",
  "run_not_recordable",
  "storage_closed",
  "storage_unavailable",
  "unauthorized",
]);

/**
 * Returns true for an error that every case would have. It ends the eval instead of failing its cases, so that the run can be resumed once
 * the cause is gone. Any refusal before a run is one: a paused agent, a bad token, a server that is stopping or too busy. A case that checks
 * for an error gets those of runs that began.
 */
function endsTheEval({ code, details: { facts = {} } }: AppError, expectsError: boolean): boolean {
  // Failed runs have a trace id. A run that waits for a person has a status.
  const hasBegun = typeof facts.trace_id === "string" || typeof facts.status === "string";
  return !hasBegun || (stoppedFromOutside.has(code) && !expectsError);
}

/**
 * Asks the agent the turns of an attempt in a session of its own. Stops at a turn that fails. A single question leaves nothing in any
 * memory; a conversation is deleted at its end.
 */
export async function askAgent(
  options: AskOptions,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Observation[]> {
  const session = `eval-${options.newId()}`;
  const seen: Observation[] = [];
  const { turns, checks } = attempt.case;
  const expectsError = [checks, ...turns.map((turn) => turn.checks)]
    .flat()
    .some(({ kind }) => kind === "error");
  const agents = new Set([agentOf(options, attempt)]);
  try {
    for (const [index, { query, context }] of turns.entries()) {
      const request: RunRequest = {
        query,
        session_id: session,
        context,
        remember: turns.length === 1 ? "nothing" : "conversation",
        tool_stubs: { stubs: [...attempt.case.stubs], others: options.others },
        ...overrideOf(attempt.target, options.version),
        ...(options.keepRecording && { record: true }),
      };
      const keep = (text: string) => options.keepRecording?.(attempt, index + 1, text);
      const wantsTrace = turns.length > 1;
      const turn = await askOnce({ ...options, agent: agentOf(options, attempt) }, request, signal, {
        keep,
        agents,
        wantsTrace,
        expectsError,
      });
      seen.push(turn);
      if (turn.error !== undefined) break;
    }
    return seen;
  } finally {
    if (turns.length > 1) {
      // The results have the conversation; the memory of agents is not the place for tests.
      await Promise.all(
        [...agents].map((agent) => options.client.clearHistory(agent, session).catch(() => undefined)),
      );
    }
  }
}

const agentOf = ({ agent }: AskOptions, { target }: Attempt): string => target.agent ?? agent;

/** Receivers of a run's texts and agents, and what is wanted of it. */
interface RunReaders {
  keep: (text: string) => Promise<void> | undefined;
  /** Receives the names of the agents that took part. */
  agents: Set<string>;
  /** False if the agents of the run need not be known: a trace takes a third of the time of a run whose model answers at once. */
  wantsTrace: boolean;
  /** True if the case checks for an error. */
  expectsError: boolean;
}

async function askOnce(
  { client, agent, prices }: AskOptions,
  request: RunRequest,
  signal: AbortSignal,
  { keep, agents, wantsTrace, expectsError }: RunReaders,
): Promise<Observation> {
  try {
    const result = await client.run(agent, { ...request, source: "eval" }, signal, {
      cost: "true",
      ...(wantsTrace && { trace: "true" }),
    });
    await keepCassette(client, result, request, keep);
    for (const { name, attributes } of result.trace?.spans ?? [])
      if (name === "agent.run") agents.add(String(attributes.agent));
    return observeResult(request.query, result, result.cost_usd ?? undefined);
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof AppError) || endsTheEval(thrown, expectsError)) throw thrown;
    const { facts = {} } = thrown.details;
    await keepCassette(client, facts, request, keep);
    const traceId = typeof facts.trace_id === "string" ? facts.trace_id : undefined;
    const trace = traceId === undefined ? undefined : await client.getTrace(traceId).catch(() => undefined);
    // Without a trace id no run began, so nothing was spent.
    const costUsd = traceId === undefined ? 0 : trace && costOfTrace(trace, prices);
    return observeFailure(request.query, toAppError(thrown), { costUsd, traceId });
  }
}

async function keepCassette(
  client: Pick<EvalClient, "getCassetteText" | "deleteCassette">,
  { cassette, cassette_error: reason }: { cassette?: unknown; cassette_error?: unknown },
  { record }: RunRequest,
  keep: (text: string) => Promise<void> | undefined,
): Promise<void> {
  if (record !== true) return;
  if (typeof cassette !== "string") {
    throw new AppError(
      "unavailable",
      "cassette_lost",
      `A run was not recorded: ${String(reason ?? "the server made no recording.")}`,
    );
  }
  await keep(await client.getCassetteText(cassette));
  await client.deleteCassette(cassette);
}

function overrideOf(
  { model, prompt, temperature }: EvalTarget,
  version: string | undefined,
): Pick<RunRequest, "override"> {
  if ([model, prompt, temperature, version].every((changed) => changed === undefined)) return {};
  const at = model?.indexOf("/") ?? -1;
  return {
    override: {
      ...(version !== undefined && { version }),
      ...(model !== undefined && { provider: model.slice(0, at), model: model.slice(at + 1) }),
      ...(prompt !== undefined && { system_prompt: prompt }),
      ...(temperature !== undefined && { temperature }),
    },
  };
}
