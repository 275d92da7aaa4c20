import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { Turn } from "../memory/conversation.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import { sessionKey } from "./persist-turns.ts";
import type { Run } from "./run.ts";

/** Reads the turns that the conversation memory returns for this run, and records them in the span. */
export async function recallTurns(run: Run, span: SpanHandle): Promise<Turn[]> {
  const { strategy, store } = run.agent.memory;
  span.set("strategy", strategy.name);
  const live = () => untilAborted(run.signal, () => store.recent(sessionKey(run), strategy.turnsMax));
  const turns = await (run.tape?.turns({ agent: run.agent.name }, live, run.signal) ?? live());
  span.set("turns", turns.length);
  return turns;
}
