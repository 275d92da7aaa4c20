import { expect, test } from "bun:test";
import type { RuntimeRun } from "../../../../src/contracts/runtime/runs.ts";
import { newId } from "../../../../src/kit/id.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { addTariff, givePlan, invocationsOf } from "../../../support/platform-agent.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { asOwner, create, platformWithOwner, specOf } from "../agents/sent-spec.ts";
import { endOf, orderRun, platformWithEvals, putEval, runToEnd } from "./staged-evals.ts";

onEachEngine("runs of a tenant's evals", (engine) => {
  test("ask the current version each case, as charged runs of the tenant", async () => {
    await using platform = await platformWithEvals(engine);
    const { id: agentId } = (await create(platform, specOf("support"))).body;
    await putEval(platform, evalOf("greets", ["hello", "bye"], { repeat: 2 }));
    platform.answers(({ query }) => (query === "bye" ? "no" : query.toUpperCase()));
    const run = await runToEnd(platform, "greets");
    expect(run).toMatchObject({
      eval: "greets",
      agent: "support",
      agent_version: 1,
      status: "complete",
      planned: 4,
      finished: 4,
      passed: 2,
      pass_rate: 0.5,
      simulated: false,
    });
    expect(run.interval[0]).toBeLessThan(0.5);
    expect(run.summary.targets[0]).toMatchObject({ target: "agent", cases: 2, runs: 4 });
    const { results, total } = (await asOwner(platform, "GET", `/api/v1/eval-runs/${run.id}/results`)).body;
    expect(total).toBe(4);
    expect(results.map(({ number, result }: never) => [number, (result as { case: string }).case])).toEqual([
      [1, "hello"],
      [2, "bye"],
      [3, "hello"],
      [4, "bye"],
    ]);
    const recorded = await invocationsOf(platform);
    expect(recorded).toHaveLength(4);
    expect(new Set(recorded.map(({ source }) => source))).toEqual(new Set(["eval"]));
    expect(platform.runtime.runs[0]?.run).toMatchObject({ source: "eval" });
    expect(new Set(recorded.map((one) => [one.agentId, one.agentVersion, one.status].join()))).toEqual(
      new Set([`${agentId},0,ok`]),
    );
    expect(results[0].result.turns[0]).toMatchObject({ query: "hello", response: "HELLO" });
    expect(recorded.map(({ id }) => id)).toContain(results[0].result.turns[0].invocation_id);
    const failed = await asOwner(
      platform,
      "GET",
      `/api/v1/eval-runs/${run.id}/results?passed=false&limit=1&offset=1`,
    );
    expect(failed.body).toMatchObject({ total: 2, results: [{ number: 4 }] });
    const [listed] = (await asOwner(platform, "GET", "/api/v1/eval-runs?agent=support&eval=greets")).body
      .runs;
    expect(listed).toMatchObject({ id: run.id, passed: 2 });
  });

  test("ask a version that is not published, with a name and a memory of its own that end with the run", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["hello"], { tools: { stubs: [{ tool: "crm", output: 1 }] } }));
    const spec = specOf("support", { identity: { role: "new" } });
    const run = await runToEnd(platform, "greets", { spec });
    expect(run).toMatchObject({ status: "complete", passed: 1, agent_version: null });
    const [asked] = platform.runtime.runs;
    expect(asked).toMatchObject({
      name: `e-${run.id}__support`,
      run: {
        checksum: run.checksum,
        remember: "nothing",
        tool_stubs: { stubs: [{ tool: "crm", output: 1 }], others: "refuse" },
      },
    });
    while (platform.runtime.forgotten.length === 0) await asOwner(platform, "GET", "/api/v1/agents");
    expect(platform.runtime.forgotten).toEqual([{ name: `e-${run.id}__support`, agentId: run.id }]);
    // The version in service is still the first one.
    expect((await asOwner(platform, "GET", "/api/v1/agents/support")).body.current_version).toBe(1);
  });

  test("ask an agent that doesn't exist yet, from YAML; without the YAML they are 404", async () => {
    await using platform = await platformWithEvals(engine);
    await putEval(platform, evalOf("greets", ["hello"]));
    expect(await orderRun(platform, "greets")).toMatchObject({
      status: 404,
      body: { error: "agent_not_found" },
    });
    const spec = JSON.stringify(specOf("support"));
    expect(await runToEnd(platform, "greets", { spec })).toMatchObject({ status: "complete", passed: 1 });
  });

  test("hold a conversation in one session, and stop it at a failed turn", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    const turns = ["one", "two", "three"].map((query) => ({ query, checks: [{ contains: query }] }));
    const document = evalOf("talks", [], { cases: [{ id: "talk", turns }] });
    await putEval(platform, document);
    platform.answers(({ query }) => {
      if (query === "two") throw new Error("broken");
      return query;
    });
    const run = await runToEnd(platform, "talks");
    expect(run).toMatchObject({ status: "complete", finished: 1, passed: 0 });
    const runs = platform.runtime.runs.map((one) => one.run);
    expect(runs.map(({ query, remember }) => [query, remember])).toEqual([
      ["one", "conversation"],
      ["two", "conversation"],
    ]);
    expect(new Set(runs.map(({ session_id }) => session_id)).size).toBe(1);
  });

  test("start no further case once the budget is charged", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["a", "b", "c"], { concurrency: 1 }));
    const run = await runToEnd(platform, "greets", { budget_credits_micros: 0 });
    expect(run).toMatchObject({ status: "budget", finished: 0, budget_credits_micros: 0, pass_rate: null });
  });

  test("wait while their tenant has too many runs", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    await givePlan(platform, platform.owner, { maxConcurrency: 1 });
    await putEval(platform, evalOf("greets", ["a", "b", "c"]));
    const { id } = (await orderRun(platform, "greets")).body;
    const isEnded = async () =>
      (await asOwner(platform, "GET", `/api/v1/eval-runs/${id}`)).body.ended_at !== null;
    while (!(await isEnded())) await platform.clock.advance(1000);
    expect(await endOf(platform, id)).toMatchObject({ status: "complete", passed: 3 });
    const recorded = await invocationsOf(platform);
    expect(recorded.filter(({ status }) => status === "ok")).toHaveLength(3);
  });

  test("wait for the credits that their own runs hold", async () => {
    await using platform = await platformWithEvals(engine);
    const { deps, clock, owner } = platform;
    await create(platform, specOf("support"));
    // A run holds all credits that it may cost: no two runs fit.
    await addTariff(platform, 1_000_000);
    await givePlan(platform, owner, { creditCapPeriodMicros: 5_000_000, maxRunTokens: 4_000 });
    await putEval(platform, evalOf("greets", ["a", "b", "c"]));
    const refused = Promise.withResolvers<void>();
    // Any case may be the one that is admitted.
    platform.answers(({ query }) => refused.promise.then(() => query));
    const { id } = (await orderRun(platform, "greets")).body;
    const recorded = async (status: string) =>
      (await invocationsOf(platform)).filter((one) => one.status === status).length;
    while ((await recorded("rejected")) === 0) await clock.advance(0);
    expect(await recorded("in_progress")).toBe(1);
    refused.resolve();
    const { evalRuns } = deps.storage.tables;
    const isEnded = async () => (await deps.storage.read.select().from(evalRuns))[0]?.endedAt !== null;
    while (!(await isEnded())) await clock.advance(1000);
    expect(await endOf(platform, id)).toMatchObject({ status: "complete", passed: 3 });
  });

  test("end with a refusal that waiting can't change", async () => {
    await using platform = await platformWithEvals(engine, (deps) => ({
      ...deps,
      settings: { ...deps.settings, allowUnpriced: false },
    }));
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["a"]));
    expect(await runToEnd(platform, "greets")).toMatchObject({
      status: "failed",
      finished: 0,
      error: { error: "unpriced_model" },
    });
  });

  test("are cancelled with the running cases, which are not charged; a second cancel is 409", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["a", "b"], { concurrency: 1 }));
    const begun = Promise.withResolvers<void>();
    platform.runtime.plays(async function* (_run, cancelled) {
      begun.resolve();
      await new Promise((resolve) => cancelled.addEventListener("abort", resolve));
      yield { type: "ended", outcome: "cancelled", usage: [], duration_ms: 1 };
    });
    const { id } = (await orderRun(platform, "greets")).body;
    await begun.promise;
    const cancelled = await asOwner(platform, "POST", `/api/v1/eval-runs/${id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled", finished: 0 } });
    expect(await asOwner(platform, "POST", `/api/v1/eval-runs/${id}/cancel`)).toMatchObject({
      status: 409,
      body: { error: "eval_run_ended" },
    });
    for (;;) {
      const [only] = await invocationsOf(platform);
      if (only?.status === "cancelled") break;
    }
    expect(await invocationsOf(platform)).toHaveLength(1);
  });

  test("continue in another process where a dead one stopped, without asking a finished case again", async () => {
    const asked: string[] = [];
    await using platform = await platformWithEvals(engine);
    const { deps, clock } = platform;
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["a", "b"], { concurrency: 1 }));
    platform.answers(({ query }: RuntimeRun) => {
      asked.push(query);
      return query.toUpperCase();
    });
    const { id, ...first } = await runToEnd(platform, "greets");
    expect(first.finished).toBe(2);
    // As a process left it that died before the second case.
    const { evalRuns, evalResults, evals } = deps.storage.tables;
    const [{ document = {} } = {}] = await deps.storage.read.select().from(evals);
    await deps.storage.transact(async (tx) => {
      await tx.update(evalRuns).set({
        status: "running",
        process: newId(),
        document,
        spec: specOf("support"),
        endedAt: null,
        summary: null,
        finished: 1,
        passed: 1,
      });
      const { eq } = await import("drizzle-orm");
      await tx.delete(evalResults).where(eq(evalResults.number, 2));
    });
    // On PostgreSQL, an owner is dead once its lease has expired; this one never had one, and another process's sweep decides.
    if (deps.storage.dialect === "postgres") return;
    await clock.advance(5_000);
    expect(await endOf(platform, id)).toMatchObject({ status: "complete", finished: 2, passed: 2 });
    expect(asked).toEqual(["a", "b", "b"]);
  });

  test("of another tenant are 404, and those beyond the limit of open ones are 409", async () => {
    // Without a worker, orders wait.
    await using platform = await platformWithOwner(engine);
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["a"]));
    const { id } = (await orderRun(platform, "greets")).body;
    const other = await platform.tenant();
    for (const [method, path] of [
      ["GET", `/api/v1/eval-runs/${id}`],
      ["GET", `/api/v1/eval-runs/${id}/results`],
      ["POST", `/api/v1/eval-runs/${id}/cancel`],
      ["GET", "/api/v1/evals/greets"],
    ] as const) {
      expect(await platform.call(method, path, { headers: other.asProgram })).toMatchObject({ status: 404 });
    }
    expect((await platform.call("GET", "/api/v1/eval-runs", { headers: other.asProgram })).body.runs).toEqual(
      [],
    );
    await orderRun(platform, "greets");
    await orderRun(platform, "greets");
    expect(await orderRun(platform, "greets")).toMatchObject({
      status: 409,
      body: { error: "eval_runs_busy" },
    });
  });
});
