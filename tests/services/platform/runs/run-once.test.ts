import { expect, test } from "bun:test";
import { platformWithAgent } from "../../../support/platform-agent.ts";
import { openRunSocket } from "../../../support/platform-stream.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/agents/support/run";

onEachEngine("a synchronous run", (engine) => {
  test("answers, is on record and charged", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner } = platform;
    const answer = await platform.call("POST", path, { headers: owner.asProgram, body: { query: "hi" } });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: "ok",
        answer: "Hello there.",
        usage: { tokens_in: 100, tokens_out: 20 },
        credits_charged_micros: 0,
        pricing_status: "unpriced",
      },
    });
    expect(Object.keys(answer.body)).not.toContain("data");
    const { invocations } = platform.deps.storage.tables;
    const rows = await platform.deps.storage.read.select().from(invocations);
    expect(rows).toMatchObject([{ status: "ok", tokensIn: 100, tokensOut: 20, tenantId: owner.id }]);
    expect(platform.runtime.runs).toMatchObject([
      {
        name: `t_${owner.id}__support`,
        run: { limits: { total_tokens: 64_000, call_tokens: 2048, iterations: 10 } },
      },
    ]);
  });

  test.each(["conversation", "nothing", undefined] as const)(
    "asks the runtime to remember %s, by its body or by a ticket",
    async (remember) => {
      await using platform = await platformWithAgent(engine);
      const headers = platform.owner.asProgram;
      const body = { query: "hi", ...(remember && { remember }) };
      expect((await platform.call("POST", path, { headers, body })).status).toBe(200);
      const { ticket } = (
        await platform.call("POST", "/api/v1/agents/support/stream-ticket", { headers, body })
      ).body;
      await (await openRunSocket(platform.url, `${path}/stream?ticket=${ticket}`)).rest();
      expect(platform.runtime.runs.map(({ run }) => run.remember)).toEqual([remember, remember]);
      const keyed = { ...headers, "idempotency-key": "k" };
      expect((await platform.call("POST", path, { headers: keyed, body })).status).toBe(200);
      const other = { query: "hi", remember: remember === "nothing" ? "conversation" : "nothing" };
      expect((await platform.call("POST", path, { headers: keyed, body: other })).status).toBe(422);
      expect(
        (await platform.call("POST", path, { headers, body: { ...body, remember: "apart" } })).status,
      ).toBe(400);
    },
  );

  test.each<[string, Partial<Parameters<typeof ended>[0]>, number, string]>([
    [
      "failed is 502",
      { outcome: "error", error: { code: "provider_failed", status: 502, message: "no" } },
      502,
      "provider_failed",
    ],
    ["took too long is 504", { outcome: "timeout" }, 504, "run_timeout"],
    [
      "was blocked is 422",
      {
        outcome: "error",
        error: { code: "guardrail_blocked", status: 422, message: "no", facts: { stage: "input" } },
      },
      422,
      "guardrail_blocked",
    ],
  ])("one that %s, recorded and not charged", async (_, change, status, code) => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.plays(async function* () {
      yield ended(change);
    });
    const answer = await platform.call("POST", path, {
      headers: platform.owner.asProgram,
      body: { query: "hi" },
    });
    expect(answer).toMatchObject({ status, body: { error: code } });
    const rows = await platform.deps.storage.read.select().from(platform.deps.storage.tables.invocations);
    expect(rows).toMatchObject([{ errorCode: code, chargedMicros: 0, heldUntil: null }]);
  });

  test("a key gives the same answer again, and runs once; another body under it is 422", async () => {
    await using platform = await platformWithAgent(engine);
    const headers = { ...platform.owner.asProgram, "idempotency-key": "k1" };
    const first = await platform.call("POST", path, { headers, body: { query: "hi" } });
    const again = await platform.call("POST", path, { headers, body: { query: "hi" } });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(platform.runtime.runs).toHaveLength(1);
    const other = await platform.call("POST", path, { headers, body: { query: "something else" } });
    expect(other).toMatchObject({ status: 422, body: { error: "idempotency_key_reused" } });
  });

  test.each([
    ["concurrency_exceeded", { maxConcurrency: 0 }, "The plan allows no runs: its max_concurrency is 0."],
    ["rate_limited", { maxRpm: 0 }, "The plan allows no runs: its max_rpm is 0."],
  ])("%s by a limit of 0 is 429, says so, and names an hour", async (error, plan, message) => {
    await using platform = await platformWithAgent(engine, { plan });
    const { owner } = platform;
    const refused = await platform.call("POST", path, { headers: owner.asProgram, body: { query: "hi" } });
    expect(refused).toMatchObject({ status: 429, body: { error, message } });
    expect(refused.headers.get("retry-after")).toBe("3600");
  });

  test("what is not the tenant's is 404, and without a credential 401", async () => {
    await using platform = await platformWithAgent(engine);
    const stranger = await platform.tenant();
    const foreign = await platform.call("POST", path, { headers: stranger.asProgram, body: { query: "hi" } });
    const missing = await platform.call("POST", "/api/v1/agents/nobody/run", {
      headers: stranger.asProgram,
      body: { query: "hi" },
    });
    expect(foreign.status).toBe(404);
    expect(foreign.text.replace("support", "nobody")).toBe(missing.text);
    expect(await platform.call("POST", path, { body: { query: "hi" } })).toMatchObject({ status: 401 });
  });
});
