import { countSteps, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { cutText } from "../../../kit/text/cut-text.ts";
import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import type { Turn } from "../../memory/conversation.ts";
import type { Episode, EpisodicMemory } from "../../memory/long-term-memory.ts";
import { estimateTokens } from "../../models/token-count.ts";
import { isRestoredStop } from "../../run-state/recorded-error.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { AgentRunEnding } from "../finish-run.ts";
import type { Run } from "../run.ts";
import { type FailingMemory, noteMemoryFailure } from "./note-memory-failure.ts";
import { exchangeMetadata, hasOwnExchange, ownExchangeWithin } from "./own-exchange.ts";
import { memoryScopeOf, sessionKey } from "./session.ts";

/** Masking 4 MiB takes 13 ms, counting their tokens too, and storing them takes 20. */
const stepsPerCharacter = 0.2;

/** Work that does not wait for others: up to 0.5 ms. */
const shortSteps = 25_000;

/** Lets others go first if the texts of the exchange are long and much was done before. */
function othersTurnAfter({ query, response }: Run): Promise<void> | undefined {
  const steps = (query.length + response.length) * stepsPerCharacter;
  return countSteps(steps) && steps > shortSteps ? othersTurn() : undefined;
}

/**
 * Stores the exchange of a run in its conversation and in the agent's other memories, traced as `memory_persist`. A failure of the other
 * memories does not fail the answer. Nothing is stored if the caller sent the history or wants nothing stored, or if the session was ended
 * while the run was in progress.
 */
export async function persistMemory(run: Run): Promise<void> {
  const { request, trace } = run;
  if (request.history !== undefined || request.remember === "nothing") return;
  const span = trace.start("memory_persist");
  await othersTurnAfter(run);
  await unlessEnded(run, () => persistAll(run, span));
  span.end();
}

/**
 * Does the write unless the run's session was ended since the run began. If it ends meanwhile, deletes what was stored: the deletion may have
 * been over before it was.
 */
async function unlessEnded(run: Run, write: () => Promise<void>): Promise<void> {
  if (isSince(run, await endOf(run))) return;
  await write();
  if (!isSince(run, await endOf(run))) return;
  const { memory, recall } = run.agent;
  const key = sessionKey(run);
  await Promise.all([
    memory.store.clear(key),
    recall?.semantic?.forgetSession(key),
    recall?.episodic?.forgetSession(key),
  ]);
}

const endOf = (run: Run) => run.agent.memory.store.endedAt?.(sessionKey(run));

const isSince = (run: Run, ended: Date | undefined) => ended !== undefined && ended.getTime() > run.begunAtMs;

async function persistAll(run: Run, span: SpanHandle): Promise<void> {
  const { agent, request, trace } = run;
  await persistTurns(run);
  const { semantic, episodic } = request.remember === undefined ? (agent.recall ?? {}) : {};
  if (semantic === undefined && episodic === undefined) return;
  const { query, response } = saidIn(run);
  await Promise.all([
    semantic &&
      keep(run, "semantic", span, () =>
        semantic.keep(memoryScopeOf(run), {
          query,
          response,
          traceId: trace.traceId,
          at: run.ports.clock.now(),
        }),
      ),
    episodic &&
      keep(run, "episodic", span, () =>
        episodic.record(memoryScopeOf(run), episodeOf(run, { status: "ok" })),
      ),
  ]);
}

/**
 * Stores the exchange as filtered by the guardrails. Only complete exchanges are stored, so a failed run leaves no question without an
 * answer. If the deadline passes while the store writes, the run has failed although the exchange may be stored. With strategy `summary`,
 * the session is summarized after the answer.
 */
async function persistTurns(run: Run): Promise<void> {
  const at = run.ports.clock.now();
  const metadata = exchangeMetadata(run);
  const { query, response } = saidIn(run);
  await othersTurnAfter(run);
  const mask = run.ports.maskKnown;
  const callersTurns = run.told.map((turn) => ({ ...turn, content: mask?.(turn.content) ?? turn.content }));
  const turns: Turn[] = [
    ...callersTurns,
    { role: "user", content: query, at, tokenCount: estimateTokens(query), metadata },
    { role: "assistant", content: response, at, tokenCount: estimateTokens(response), metadata },
  ];
  await othersTurnAfter(run);
  const { store } = run.agent.memory;
  const key = sessionKey(run);
  const append = async () => {
    if (run.interceptor?.isContinued && hasOwnExchange(run, await store.recent(key, ownExchangeWithin)))
      return;
    await untilAborted(run.signal, () => store.append(key, turns, undefined, run.interceptor?.fence));
  };
  if (run.interceptor?.once === undefined) await append();
  else {
    const deed = JSON.stringify(["persist", run.query, run.response]);
    await run.interceptor.once({ agent: run.agent.name }, deed, append, run.signal);
  }
  if (run.agent.memory.strategy.name === "summary") run.ports.conversationGrew?.(run.agent, key, run.ports);
}

/** The exchange without the secrets that the run knows, so that a secret repeated by a model is not stored. */
function saidIn({ query, response, ports: { maskKnown } }: Run): { query: string; response: string } {
  if (maskKnown === undefined) return { query, response };
  return { query: maskKnown(query), response: maskKnown(response) };
}

/** Failed endings that are recorded as episodes. */
const remembered: ReadonlySet<AgentRunEnding["status"]> = new Set(["error", "blocked", "timeout"]);

/** Records a failed run as an episode if the agent has episodic memory. Not awaited. */
export function recordFailure(run: Run, ending: AgentRunEnding): void {
  const { agent, request } = run;
  const episodic = agent.recall?.episodic;
  if (episodic === undefined || !remembered.has(ending.status)) return;
  if (request.history !== undefined || request.remember !== undefined) return;
  void recordQuietly(run, episodic, episodeOf(run, ending));
}

/** Writes to a memory of the agent, unless the agent was deleted: a later agent of its name must not find what this run stores. */
async function writeTo({ whileAlive }: RunnableAgent, write: () => Promise<void>): Promise<void> {
  await (whileAlive === undefined ? write() : whileAlive(write));
}

async function recordQuietly(run: Run, episodic: EpisodicMemory, episode: Episode): Promise<void> {
  try {
    await unlessEnded(run, () => writeTo(run.agent, () => episodic.record(memoryScopeOf(run), episode)));
  } catch (thrown) {
    noteMemoryFailure(run, undefined, { memory: "episodic", step: "keep", thrown });
  }
}

async function keep(
  run: Run,
  memory: FailingMemory,
  parent: SpanHandle,
  write: () => Promise<void>,
): Promise<void> {
  const { agent, signal, interceptor, trace, query, response } = run;
  const span = trace.start(`memory.${memory}`, {}, parent);
  const written = () => untilAborted(signal, () => writeTo(agent, write));
  try {
    if (interceptor?.once === undefined) await written();
    else
      await interceptor.once(
        { agent: agent.name },
        JSON.stringify([memory, query, response]),
        written,
        signal,
      );
    span.end();
  } catch (thrown) {
    signal.throwIfAborted();
    if (isRestoredStop(thrown)) throw thrown;
    noteMemoryFailure(run, span, { memory, step: "keep", thrown });
  }
}

const saidLengthMax = 240;

/** Importance of a run's episode by outcome: failures count more than successes, and runs with tool calls more than answers alone. */
const importanceOf = { failed: 0.8, blocked: 0.6, acted: 0.5, answered: 0.3 };

/** A run as an episode: the query, the outcome and the tools used. */
export function episodeOf(run: Run, { status, code, blockedBy }: AgentRunEnding): Episode {
  const { trace, ports, request, toolCalls } = run;
  const tools = [...new Set(toolCalls.map(({ tool }) => tool))];
  const summary = summaryOf(run, status, blockedBy);
  return {
    event_type: "run",
    summary: ports.maskKnown?.(summary) ?? summary,
    context: {
      session_id: request.sessionId,
      trace_id: trace.traceId,
      ...(tools.length === 0 ? {} : { tools }),
      ...(code === undefined ? {} : { error: code }),
    },
    outcome: status,
    timestamp: ports.clock.now().toISOString(),
    importance: importance(status, tools.length > 0),
  };
}

function importance(status: AgentRunEnding["status"], acted: boolean): number {
  if (status === "blocked") return importanceOf.blocked;
  if (status !== "ok") return importanceOf.failed;
  return acted ? importanceOf.acted : importanceOf.answered;
}

function summaryOf(
  run: Run,
  status: AgentRunEnding["status"],
  blockedBy: AgentRunEnding["blockedBy"],
): string {
  // Text that a guardrail blocked is not stored.
  if (status === "blocked") {
    const where = typeof blockedBy?.stage === "string" ? ` the ${blockedBy.stage}` : "";
    return `A guardrail (${String(blockedBy?.type ?? "unknown")}) blocked${where}.`;
  }
  const questionLine = `Asked: ${gist(run.query)}`;
  return status === "ok" ? `${questionLine} Answered: ${gist(run.response)}` : questionLine;
}

function gist(said: string): string {
  const line = said.replace(/\s+/gu, " ").trim();
  return line.length <= saidLengthMax ? line : `${cutText(line, saidLengthMax)}…`;
}
