import type { ModelEvent, ModelRequest, Usage } from "../../../engine/models/model.ts";
import type { RoutedEvent } from "../../../engine/models/model-router.ts";
import { costMicros, type Price } from "../../../engine/models/price.ts";
import { estimateRequestTokens, estimateTokens } from "../../../engine/models/token-count.ts";
import { usageDifference } from "../../../engine/run-state/run-state.ts";
import type { UsageRecord, UsageSink } from "../../../engine/spending/usage-record.ts";
import type { Clock } from "../../../kit/clock.ts";

/** Agent name for calls without an agent. No agent can have this name. */
export const noAgent = "(none)";

export interface DirectCall {
  tenant: string;
  request: ModelRequest;
  usage: UsageSink;
  clock: Clock;
}

/** Cost of all candidates of a call; empty if one has no known price. */
function costOf(
  spent: readonly Pick<UsageRecord, "costMicros">[],
  isSimulated: boolean,
): { costMicros?: number } {
  if (isSimulated) return { costMicros: 0 };
  const costs = spent.flatMap(({ costMicros: cost }) => cost ?? []);
  return costs.length < spent.length ? {} : { costMicros: costs.reduce((sum, cost) => sum + cost, 0) };
}

/** Passes on the events of a model that the caller named directly. Counts the costs, however the call ends. */
export async function* countDirectCall(
  events: AsyncIterable<RoutedEvent>,
  { tenant, request, usage: sink, clock }: DirectCall,
): AsyncGenerator<ModelEvent, void> {
  const startedMs = clock.monotonicMs();
  const spent: (Pick<UsageRecord, "provider" | "model" | "costMicros"> & Usage)[] = [];
  let chosen: Extract<RoutedEvent, { type: "chosen" }> | undefined;
  let isWhole = false;
  let ended: Extract<ModelEvent, { type: "end" }> | undefined;
  let text = "";
  const add = (
    { provider, model, price }: { provider: string; model: string; price: Price | undefined },
    used: Usage,
  ) => {
    spent.push({ provider, model, ...used, costMicros: price ? costMicros(used, price) : null });
    isWhole = chosen !== undefined;
  };
  try {
    for await (const event of events) {
      if (event.type === "spent") add(event, event.usage);
      else if (event.type === "chosen") chosen = event;
      else {
        if (event.type === "text" || event.type === "thoughts") text += event.text;
        else if (event.type === "texts") text += event.texts.join("");
        if (event.type !== "end" || chosen === undefined) yield event;
        else {
          add(chosen, event.usage);
          ended = event;
          yield { ...event, ...costOf(spent, chosen.simulated) };
        }
      }
    }
  } finally {
    if (chosen && !isWhole) {
      const inputTokens = estimateRequestTokens(request);
      add(chosen, { inputTokens, outputTokens: estimateTokens(text), cachedTokens: 0, estimated: true });
    }
    const about = { tenant, agent: noAgent, sessionId: "", pattern: "direct", at: clock.now() };
    const latencyMs = clock.monotonicMs() - startedMs;
    const records = spent.map((call) => ({ ...about, latencyMs, ...call }));
    if (records.length > 0) sink.record(records);
    const last = records.at(-1);
    if (ended !== undefined && last !== undefined) void correctLater(sink, last, ended, chosen?.price);
  }
}

/** Records the difference once the server has reported the usage after its answer. */
async function correctLater(
  sink: UsageSink,
  record: UsageRecord,
  { usage, later }: Extract<ModelEvent, { type: "end" }>,
  price: Price | undefined,
): Promise<void> {
  const late = await later;
  if (late === undefined) return;
  const cost = price ? costMicros(late.usage, price) - costMicros(usage, price) : null;
  sink.record([{ ...record, ...usageDifference(usage, late.usage), costMicros: cost, corrects: true }]);
}
