import type { Turn } from "../memory/conversation.ts";
import { sessionKey } from "./persist-turns.ts";
import type { Run } from "./run.ts";

/** Reads what the conversation's memory may show this run, traced as `memory_build`; nothing when the caller brought the history. */
export async function recallTurns(run: Run): Promise<Turn[]> {
  const { agent, request, trace } = run;
  if (request.history !== undefined) return [];
  const span = trace.start("memory_build", { strategy: agent.memory.strategy.name });
  try {
    const turns = await agent.memory.store.recent(sessionKey(run), agent.memory.strategy.turnsMax);
    span.set("turns", turns.length);
    span.end();
    return turns;
  } finally {
    span.end("ERROR");
  }
}
