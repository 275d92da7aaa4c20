import { expect, test } from "bun:test";
import type { RoutedEvent } from "../../../../src/engine/models/model-router.ts";
import type { UsageRecord } from "../../../../src/engine/spending/usage-record.ts";
import { countDirectCall } from "../../../../src/services/daemon/costs/count-direct-call.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { endOfAnswer, requestOf } from "../../../support/scripted-model.ts";

const price = { in: 1000, out: 1000 };
const chosen: RoutedEvent = {
  type: "chosen",
  provider: "lab",
  model: "m",
  simulated: false,
  attempt: 1,
  price,
};
const spare: RoutedEvent = {
  type: "spent",
  provider: "spare",
  model: "m",
  usage: { inputTokens: 3, outputTokens: 4, cachedTokens: 0, estimated: false },
  price: undefined,
  mayFailOver: true,
};
const text: RoutedEvent = { type: "text", text: "eight letters" };

async function count(events: (RoutedEvent | Error)[], readsMax = 99): Promise<UsageRecord[]> {
  const records: UsageRecord[] = [];
  async function* source() {
    for (const event of events) {
      if (event instanceof Error) throw event;
      yield event;
    }
  }
  const counted = countDirectCall(source(), {
    tenant: "t",
    request: requestOf("hi"),
    usage: { record: (added) => records.push(...added) },
    clock: new FakeClock(),
  });
  try {
    let reads = 0;
    for await (const _ of counted) if (++reads === readsMax) break;
  } catch {
    // The error itself is not tested here.
  }
  return records;
}

test.each<[string, (RoutedEvent | Error)[], number, object[]]>([
  [
    "a whole answer",
    [chosen, text, endOfAnswer],
    99,
    [{ provider: "lab", costMicros: 15, estimated: false }],
  ],
  [
    "one that failed before it",
    [spare, chosen, text, endOfAnswer],
    99,
    [{ provider: "spare", costMicros: null, outputTokens: 4 }, { provider: "lab" }],
  ],
  ["an answer that broke off", [chosen, text, new Error("cut")], 99, [{ outputTokens: 4, estimated: true }]],
  ["an answer that nobody read on", [chosen, text, endOfAnswer], 1, [{ outputTokens: 4, estimated: true }]],
  [
    "thoughts that were sent before it broke off",
    [chosen, { type: "thoughts", text: "eight letters" }, new Error("cut")],
    99,
    [{ outputTokens: 4, estimated: true }],
  ],
  ["a call that never came about", [new Error("refused")], 99, []],
])("%s", async (_, events, readsMax, records) => {
  expect(await count(events, readsMax)).toMatchObject(records);
});
