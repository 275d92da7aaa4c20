import type { Turn } from "../../memory/conversation.ts";
import type { Episode, SemanticRecord } from "../../memory/long-term-memory.ts";
import type { Passage } from "../../tools/rag/agent-knowledge.ts";
import type { Run } from "../run.ts";
import { recallSummary, recallTurns } from "./recall-conversation.ts";
import { recallEpisodes, recallMemories } from "./recall-memories.ts";
import { recallPassages } from "./recall-passages.ts";

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
  const summary = turns.length === 0 ? undefined : await recallSummary(run, span);
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
