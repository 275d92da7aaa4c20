import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import { sessionKey } from "./persist-turns.ts";
import type { Run } from "./run.ts";

/** Summary of the conversation's older turns, if the agent keeps one; undefined if there is none yet. */
export async function recallSummary(run: Run, span: SpanHandle): Promise<string | undefined> {
  const { agent, tape, signal } = run;
  const { strategy, store } = agent.memory;
  if (strategy.name !== "summary") return undefined;
  const live = () =>
    untilAborted(signal, async () => {
      const found = await store.summaries?.find(sessionKey(run));
      return found === undefined ? [] : [{ text: found.text }];
    });
  const question = { of: "summary", query: "" } as const;
  const [summary] = await (tape?.recalled({ agent: agent.name }, question, live, signal) ?? live());
  span.set("summary", summary !== undefined);
  return summary?.text;
}
