import { expect, test } from "bun:test";
import { modelsOutside } from "../../../src/engine/run/models-outside.ts";
import type { Allowance } from "../../../src/engine/spending/allowance.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { type StageOptions, stage, untilAbort } from "../../support/staged-run.ts";

const session = { tenant: "t", sessionId: "direct" };
const question = (signal: AbortSignal) => ({
  system: "Be brief.",
  text: "Long.",
  answerTokensMax: 100,
  signal,
});

function outside(options: StageOptions) {
  const run = stage(options);
  const { signal } = new AbortController();
  return { run, signal, models: modelsOutside(run.ports, run.agent, session, signal) };
}

test("what they answer is counted as usage of the agent, once it is finished", async () => {
  const { run, signal, models } = outside({ calls: ["Brief."], price: { in: 1000, out: 1000, cached: 0 } });
  expect(await models.modelOf("summarizer").ask(question(signal))).toBe("Brief.");
  expect(run.usage).toEqual([]);
  await models.finish();
  expect(run.usage).toMatchObject([
    { ...session, agent: "staged", inputTokens: 10, outputTokens: 5, costMicros: 15 },
  ]);
});

test("a run without calls of outside models reports no usage", async () => {
  const { run, models } = outside({});
  await models.finish();
  expect(run.usage).toEqual([]);
});

test("the agent's limit of a run and its budget hold them", async () => {
  const held: number[] = [];
  const budget: Allowance = {
    hold({ inputTokensMax }) {
      held.push(inputTokensMax);
      if (held.length > 1) throw new AppError("payment_required", "budget_exceeded", "Nothing is left.");
      return { answerTokensMax: 7, settle() {} };
    },
    split: () => [budget],
  };
  const { run, signal, models } = outside({ calls: ["Brief."], budgets: { staged: budget } });
  const { ask } = models.modelOf("summarizer");
  await ask(question(signal));
  expect(run.model.requests[0]?.answerTokensMax).toBe(7);
  expect(ask(question(signal))).rejects.toThrow("Nothing is left.");

  const limited = outside({ spec: { orchestration: { max_run_tokens: 20 } } });
  expect(limited.models.modelOf("x").ask(question(limited.signal))).rejects.toMatchObject({
    code: "budget_exceeded",
  });
});

test("what is stopped counts as far as it came", async () => {
  const stopping = new AbortController();
  const { run, models } = outside({
    calls: [
      async function* (_, signal) {
        yield { type: "text", text: "So far" };
        stopping.abort(new Error("stopped"));
        await untilAbort(signal);
      },
    ],
  });
  const asked = models.modelOf("summarizer").ask(question(stopping.signal));
  await models.finish();
  expect(asked).rejects.toThrow();
  expect(run.usage).toMatchObject([{ estimated: true }]);
});
