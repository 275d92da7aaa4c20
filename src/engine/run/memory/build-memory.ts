import { AppError, toAppError } from "../../../kit/app-error.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import type { KnowledgeBinding } from "../../agents/recall-sources.ts";
import type { Turn } from "../../memory/conversation.ts";
import type { Episode, SemanticRecord } from "../../memory/long-term-memory.ts";
import { selectTurns } from "../../memory/memory-strategy.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Passage } from "../../tools/rag/agent-knowledge.ts";
import type { Run } from "../run.ts";
import { withoutOwnExchange } from "./own-exchange.ts";
import { recallEpisodes, recallMemories } from "./recall-memories.ts";
import { sessionKey } from "./session.ts";

/** Data that a run has before it answers. */
export interface BuiltMemory {
  turns: Turn[];
  /** Summary of the earlier conversation, if the agent keeps one. */
  summary?: string | undefined;
  recalled: Recalled;
}

/**
 * Reads the conversation and other memories of the agent, traced as `memory_build`, and its documents for the query. If the caller sent the
 * history, memories are not read.
 */
export async function buildMemory(run: Run): Promise<BuiltMemory> {
  const { agent, request, trace } = run;
  const { semantic, episodic, knowledge } = agent.recall ?? {};
  if (request.history !== undefined) {
    const passages = knowledge === undefined ? [] : await recallPassages(run, knowledge);
    return { turns: [], recalled: { ...nothingRecalled, passages } };
  }
  const span = trace.start("memory_build");
  const turns = await recallTurns(run, span);
  const keepsSummary = agent.memory.strategy.name === "summary" && turns.length > 0;
  const summary = keepsSummary ? await recallSummary(run, span) : undefined;
  if (agent.recall === undefined) {
    span.end();
    return { turns, summary, recalled: nothingRecalled };
  }
  const memories = semantic && recallMemories(run, semantic, turns, span);
  const episodes = episodic && recallEpisodes(run, episodic, span);
  const reading = Promise.all([memories ?? [], episodes ?? []]).finally(() => span.end());
  const [passages, [foundMemories, foundEpisodes]] = await Promise.all([
    knowledge === undefined ? [] : recallPassages(run, knowledge),
    reading,
  ]);
  return { turns, summary, recalled: { memories: foundMemories, episodes: foundEpisodes, passages } };
}

/** Items that an agent found before it answers, best first in each list. */
export interface Recalled {
  memories: readonly SemanticRecord[];
  episodes: readonly Episode[];
  passages: readonly Passage[];
}

/** Empty result for an agent without sources. */
export const nothingRecalled: Recalled = { memories: [], episodes: [], passages: [] };

/** Maximum turns of a window that grows because they can't be summarized; the model's context window is another limit. */
const unsummarizedMax = 1000;

/** The turns of the window, of which a strategy without summaries selects those that fit. */
function windowOf(run: Run): Promise<Turn[]> {
  const { strategy, store } = run.agent.memory;
  return strategy.name === "summary"
    ? unsummarizedTurns(run)
    : store.recent(sessionKey(run), strategy.turnsMax);
}

async function unsummarizedTurns(run: Run): Promise<Turn[]> {
  const { strategy, store } = run.agent.memory;
  const key = sessionKey(run);
  // If this can't be read, the window is as declared.
  const progress = await store.summaries?.progress(key).catch(() => undefined);
  const { lastSeq, upTo, tokenCount } = progress ?? nothingYet;
  const unsummarized = Math.min(lastSeq - upTo, unsummarizedMax);
  const turns = await store.recent(key, Math.max(strategy.turnsMax, unsummarized));
  return selectTurns(strategy, turns, tokenCount, unsummarized);
}

const nothingYet = { lastSeq: 0, upTo: 0, tokenCount: 0 };

/** Reads the turns that the conversation memory returns for this run, and records them in the span. */
export async function recallTurns(run: Run, span: SpanHandle): Promise<Turn[]> {
  span.set("strategy", run.agent.memory.strategy.name);
  const live = async () => {
    const turns = await untilAborted(run.signal, () => windowOf(run));
    return [...withoutOwnExchange(run, turns), ...run.told];
  };
  const turns = await (run.interceptor?.turns({ agent: run.agent.name }, live, run.signal) ?? live());
  span.set("turns", turns.length);
  return turns;
}

/** Summary of the conversation's older turns, for an agent that keeps one; undefined if there is none yet. */
async function recallSummary(run: Run, span: SpanHandle): Promise<string | undefined> {
  const { agent, interceptor, signal } = run;
  const { store } = agent.memory;
  const live = () =>
    untilAborted(signal, async () => {
      const storedSummary = await store.summaries?.find(sessionKey(run));
      return storedSummary === undefined ? [] : [{ text: storedSummary.text }];
    });
  const question = { of: "summary", query: "" } as const;
  const [summary] = await (interceptor?.recalled({ agent: agent.name }, question, live, signal) ?? live());
  span.set("summary", summary !== undefined);
  return summary?.text;
}

/**
 * Passages of the agent's documents for the query, traced as `knowledge`. An agent with documents doesn't answer without them: throws
 * AppError if they can't be searched.
 */
export async function recallPassages(run: Run, knowledge: KnowledgeBinding): Promise<Passage[]> {
  const { agent, request, signal, interceptor, trace, query } = run;
  const span = trace.start("knowledge", { pipeline: knowledge.pipeline });
  const live = () =>
    untilAborted(signal, async () => {
      const pipeline = knowledge.find(request.tenant) ?? missing(agent.name, knowledge.pipeline);
      return [...(await pipeline.query({ query, topK: knowledge.topK, signal }))];
    });
  try {
    const passages = await (interceptor?.recalled(
      { agent: agent.name },
      { of: "knowledge", query },
      live,
      signal,
    ) ?? live());
    span.set("passages", passages.length);
    span.set(
      "scores",
      passages.map(({ score }) => score),
    );
    span.end();
    return passages;
  } catch (thrown) {
    span.set("error", toAppError(thrown).code);
    span.end("ERROR");
    throw thrown;
  }
}

function missing(agent: string, pipeline: string): never {
  throw new AppError(
    "unavailable",
    "pipeline_not_loaded",
    `Agent ${agent} answers from the pipeline ${pipeline}, which is not loaded.`,
    { details: { hint: "Put its file into rag/, or fix it: GET /v1/rag/pipelines says what is wrong." } },
  );
}
