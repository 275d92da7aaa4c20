import { expect, test } from "bun:test";
import type { Question } from "../../../../src/contracts/daemon/questions/question.ts";
import { pausedRun } from "../../../support/paused-run.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const question: Question = {
  server: "shop",
  message: "Why?",
  fields: [
    { name: "reason", type: "choice", required: true, options: [{ value: "late" }, { value: "broken" }] },
  ],
};
const paused = (engine: Parameters<typeof pausedRun>[0]) => pausedRun(engine, undefined, undefined, question);

onEachEngine("questions of servers to a tenant", (engine) => {
  test("are listed with their forms, and the answer goes to the runtime", async () => {
    await using platform = await paused(engine);
    const headers = platform.owner.asProgram;
    const { body } = await platform.call("GET", "/api/v1/approvals?status=pending", { headers });
    expect(body.approvals).toMatchObject([{ tool: "refund", question }]);
    expect((await platform.decide("approve", { answer: { reason: "late" } })).status).toBe(200);
    expect(platform.runtime.decisions).toMatchObject([
      { decision: { verdict: "approved", answer: { reason: "late" } } },
    ]);
  });

  test("are dismissed by a rejection with cancel", async () => {
    await using platform = await paused(engine);
    expect((await platform.decide("reject", { cancel: true })).status).toBe(200);
    expect(platform.runtime.decisions).toMatchObject([{ decision: { verdict: "rejected", cancel: true } }]);
  });

  test.each([
    ["approve", {}, "answer.reason"],
    ["approve", { answer: { reason: "bored" } }, "answer.reason"],
    ["approve", { answer: { reason: "late", more: 1 } }, "answer.more"],
    ["reject", { answer: { reason: "late" } }, "answer"],
  ])("an answer that doesn't fit is 400 and leaves the run waiting: %s %j", async (verdict, body, path) => {
    await using platform = await paused(engine);
    const refused = await platform.decide(verdict, body);
    expect([refused.status, refused.body.problems?.[0]?.path]).toEqual([400, path]);
    expect(platform.runtime.decisions).toEqual([]);
    expect((await platform.decide("approve", { answer: { reason: "broken" } })).status).toBe(200);
  });

  test("an answer to a call that asks nothing is 400", async () => {
    await using platform = await pausedRun(engine);
    const refused = await platform.decide("approve", { answer: { reason: "late" } });
    expect([refused.status, refused.body.problems?.[0]?.path]).toEqual([400, "answer"]);
  });
});
