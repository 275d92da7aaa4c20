import { expect, test } from "bun:test";
import type { LateEnd } from "../../../src/engine/models/model.ts";
import { runAgent } from "../../../src/engine/run/run-agent.ts";
import { createTokenAllowance } from "../../../src/engine/spending/token-allowance.ts";
import type { RecordedTrace } from "../../../src/engine/telemetry/trace.ts";
import { endOfAnswer } from "../../support/scripted-model.ts";
import { play, stage } from "../../support/staged-run.ts";

const estimated = { ...endOfAnswer.usage, outputTokens: 2, estimated: true };

function staged() {
  const { promise, resolve } = Promise.withResolvers<LateEnd | undefined>();
  const budget = createTokenAllowance(10_000);
  const run = stage({
    price: { in: 1000, out: 1000 },
    budgets: { staged: budget },
    spec: { observability: { tracing: true } },
    calls: [
      [
        { type: "text", text: "Hi." },
        { ...endOfAnswer, usage: estimated, later: promise },
      ],
    ],
  });
  const awaited: Promise<void>[] = [];
  const corrected: Promise<RecordedTrace>[] = [];
  const ports = {
    ...run.ports,
    usageAwaited: (settled: Promise<void>) => void awaited.push(settled),
    traces: {
      record: (_: string, __: RecordedTrace, final?: Promise<RecordedTrace>) => {
        if (final !== undefined) corrected.push(final);
      },
    },
  };
  return { ...run, budget, ports, awaited, corrected, late: resolve };
}

test("usage that comes after the answer corrects records, allowances and trace, without delaying done", async () => {
  const { ports, agent, requestOf, usage, awaited, corrected, budget, late, logged } = staged();
  const { result } = await play(runAgent(ports, agent, requestOf()));
  expect(result?.usage).toEqual({ input_tokens: 10, output_tokens: 2, total_tokens: 12 });
  expect(usage).toMatchObject([{ outputTokens: 2, estimated: true, costMicros: 12 }]);
  expect(awaited).toHaveLength(1);
  late({ usage: { ...estimated, outputTokens: 900, estimated: false }, lostChars: 7 });
  await Promise.all(awaited);
  expect(usage.slice(1)).toMatchObject([
    { inputTokens: 0, outputTokens: 898, estimated: false, costMicros: 898, corrects: true },
  ]);
  const [trace] = await Promise.all(corrected);
  const attributes = trace?.spans.find(([name]) => name === "llm.complete")?.[5];
  expect(attributes).toMatchObject({ output_tokens: 900, estimated: false, late_characters: 7 });
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "model.text_too_late" }));
  // 10,000 less 10 and 900 tokens.
  const hold = (tokens: number) => () =>
    budget.hold({ inputTokensMax: tokens, answerTokensMax: 16, answerTokensUsual: 16, price: undefined });
  expect(hold(9_075)).toThrow();
  expect(hold(9_074)).not.toThrow();
});

test("usage that never comes leaves the estimate, without a correction", async () => {
  const { ports, agent, requestOf, usage, awaited, late } = staged();
  await play(runAgent(ports, agent, requestOf()));
  late(undefined);
  await Promise.all(awaited);
  expect(usage).toHaveLength(1);
});
