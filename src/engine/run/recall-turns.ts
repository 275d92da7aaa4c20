import { untilAborted } from "../../kit/until-aborted.ts";
import type { Turn } from "../memory/conversation.ts";
import { sessionKey } from "./persist-turns.ts";
import type { Run } from "./run.ts";

/** Reads what the conversation's memory may show this run, traced as `memory_build`; nothing when the caller brought the history. */
export async function recallTurns(run: Run): Promise<Turn[]> {
  if (run.request.history !== undefined) return [];
  const { strategy, store } = run.agent.memory;
  const span = run.trace.start("memory_build", { strategy: strategy.name });
  const live = () => untilAborted(run.signal, () => store.recent(sessionKey(run), strategy.turnsMax));
  const turns = await (run.tape?.turns({ agent: run.agent.name }, live, run.signal) ?? live());
  span.set("turns", turns.length);
  span.end();
  return turns;
}
