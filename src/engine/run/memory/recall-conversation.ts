import { untilAborted } from "../../../kit/until-aborted.ts";
import type { Turn } from "../../memory/conversation.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Run } from "../run.ts";
import { sessionKey } from "./session.ts";

/** Reads the turns that the conversation memory returns for this run, and records them in the span. */
export async function recallTurns(run: Run, span: SpanHandle): Promise<Turn[]> {
  const { strategy, store } = run.agent.memory;
  span.set("strategy", strategy.name);
  const live = () => untilAborted(run.signal, () => store.recent(sessionKey(run), strategy.turnsMax));
  const turns = await (run.interceptor?.turns({ agent: run.agent.name }, live, run.signal) ?? live());
  span.set("turns", turns.length);
  return turns;
}

/** Summary of the conversation's older turns, if the agent keeps one; undefined if there is none yet. */
export async function recallSummary(run: Run, span: SpanHandle): Promise<string | undefined> {
  const { agent, interceptor, signal } = run;
  const { strategy, store } = agent.memory;
  if (strategy.name !== "summary") return undefined;
  const live = () =>
    untilAborted(signal, async () => {
      const found = await store.summaries?.find(sessionKey(run));
      return found === undefined ? [] : [{ text: found.text }];
    });
  const question = { of: "summary", query: "" } as const;
  const [summary] = await (interceptor?.recalled({ agent: agent.name }, question, live, signal) ?? live());
  span.set("summary", summary !== undefined);
  return summary?.text;
}
