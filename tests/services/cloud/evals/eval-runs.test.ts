import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { draft } from "../../../support/cloud.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { until } from "../../../support/until.ts";
import { type CloudWithEvals, cloudWithEvals, putEval } from "./staged-evals.ts";

const create = (cloud: CloudWithEvals, change: Record<string, unknown> = {}) =>
  cloud.as("POST", "/agents", draft("support", change));

onEachEngine("evals of an org", (engine) => {
  test("are stored, listed, replaced only with their ETag (otherwise 412), and deleted", async () => {
    await using cloud = await cloudWithEvals(engine);
    const stored = await putEval(cloud, evalOf("greets", ["hello"]));
    expect(stored).toMatchObject({ name: "greets", agent: "support", cases: 1 });
    expect((await cloud.as("GET", "/evals")).body.evals).toMatchObject([{ name: "greets", cases: 1 }]);
    const { headers, body } = await cloud.as("GET", "/evals/greets");
    expect(body.manifest).toMatchObject({ metadata: { name: "greets" } });
    const late = await cloud.call("PUT", `${cloud.owner.org}/evals/greets`, {
      headers: { ...cloud.owner.headers, "if-match": '"other"' },
      body: evalOf("greets", ["bye"]),
    });
    expect([headers.get("etag"), late.status]).toEqual([expect.any(String), 412]);
    expect((await cloud.as("DELETE", "/evals/greets")).status).toBe(204);
    expect(await cloud.as("GET", "/evals/greets")).toMatchObject({
      status: 404,
      body: { error: "eval_not_found" },
    });
  });

  test("with checks that the cloud can't run are 400", async () => {
    await using cloud = await cloudWithEvals(engine);
    const document = evalOf("greets", ["hello"], { checks: [{ judge: { rubric: "Is it kind?" } }] });
    expect(await cloud.as("PUT", "/evals/greets", document)).toMatchObject({
      status: 400,
      body: { error: "invalid_manifest", details: [{ path: "spec.checks[0].judge" }] },
    });
  });

  test("run as counted runs of the org with stubs, and leave no agent or memory behind", async () => {
    await using cloud = await cloudWithEvals(engine);
    await create(cloud);
    const stub = { tool: "calculator", output: 4 };
    await putEval(cloud, evalOf("greets", ["hello", "bye"], { tools: { stubs: [stub] } }));
    cloud.answers(({ query }) => (query === "bye" ? "no" : query));
    const run = await cloud.runToEnd("greets");
    expect(run).toMatchObject({
      agent: "support",
      status: "complete",
      finished: 2,
      passed: 1,
      pass_rate: 0.5,
      tokens_used: 240,
      budget_tokens: null,
      author: expect.stringMatching(/^user:/),
    });
    const name = `e-${run.id}__support`;
    expect(cloud.runtime.runs.map((one) => one.name)).toEqual([name, name]);
    expect(cloud.runtime.runs[0]?.run).toMatchObject({
      tool_stubs: { stubs: [stub], others: "refuse" },
      remember: "nothing",
      source: "eval",
      late_usage: true,
    });
    // The agent is removed after the end is recorded.
    await until(async () => cloud.runtime.agents.size === 0);
    expect(cloud.runtime.forgotten).toEqual([{ name, agentId: run.id }]);
    await cloud.deps.runUsage.flush();
    const usage = await cloud.as("GET", "/usage");
    expect(usage.body).toMatchObject({ total_requests: 2, total_tokens: 240 });
    const { body } = await cloud.as("GET", `/eval-runs/${run.id}/results?passed=false`);
    expect(body).toMatchObject({ total: 1, results: [{ number: 2, result: { case: "bye" } }] });
  });

  test("ask the agent as a change would make it, and store nothing of the change", async () => {
    await using cloud = await cloudWithEvals(engine);
    await create(cloud);
    await putEval(cloud, evalOf("greets", ["hello"]));
    const prompts: unknown[] = [];
    const { register } = cloud.runtime;
    cloud.runtime.register = (name, agent) => {
      prompts.push((agent.spec as { spec: { prompts: { system: string } } }).spec.prompts.system);
      return register(name, agent);
    };
    const plain = await cloud.runToEnd("greets");
    const changed = await cloud.runToEnd("greets", { change: { step2: { system_prompt: "Be brief." } } });
    expect(prompts).toEqual(["Answer in one sentence.", "Be brief."]);
    expect(changed.checksum).not.toBe(plain.checksum);
    expect((await cloud.as("GET", "/agents/support")).body.step2.system_prompt).toBe(
      "Answer in one sentence.",
    );
    const wrong = { change: { step2: { system_prompt: "{{ broken" }, step9: {} } };
    expect(await cloud.as("POST", "/evals/greets/runs", wrong)).toMatchObject({ status: 400 });
  });

  test("of an agent that could not be deployed are 400, of an unknown one 404", async () => {
    await using cloud = await cloudWithEvals(engine);
    await putEval(cloud, evalOf("greets", ["hello"]));
    const order = () => cloud.as("POST", "/evals/greets/runs", {});
    expect(await order()).toMatchObject({ status: 404, body: { error: "not_found" } });
    await create(cloud, { step1: { model: "openai/gpt-4o" } });
    expect(await order()).toMatchObject({ status: 400, body: { error: "provider_key_missing" } });
    expect(await cloud.as("POST", "/evals/other/runs", {})).toMatchObject({
      status: 404,
      body: { error: "eval_not_found" },
    });
  });

  test("stop at a budget of tokens, and when the daily limit is used up", async () => {
    const limits = { max_agents: 5, requests_per_day: 3, max_members: 3 };
    await using cloud = await cloudWithEvals(engine, (deps) => ({
      ...deps,
      plans: new Map([["free", limits]]),
    }));
    await create(cloud);
    await putEval(cloud, evalOf("greets", ["a", "b", "c"]));
    expect(await cloud.runToEnd("greets", { concurrency: 1, budget_tokens: 120 })).toMatchObject({
      status: "budget",
      finished: 1,
      tokens_used: 120,
    });
    expect(await cloud.runToEnd("greets", { concurrency: 1 })).toMatchObject({
      status: "failed",
      finished: 2,
      error: { error: "daily_limit_reached" },
    });
  });

  test("keep the results of a dead process, and ask only the rest", async () => {
    await using cloud = await cloudWithEvals(engine);
    await create(cloud);
    await putEval(cloud, evalOf("greets", ["hello", "bye"]));
    const { id, ...first } = await cloud.runToEnd("greets", { concurrency: 1 });
    expect(first.finished).toBe(2);
    const spec = cloud.runtime.runs.length;
    // As a process left it that died before the second case.
    const { storage } = cloud.deps;
    const { evalRuns, evalResults, evals, agents } = storage.tables;
    const [{ document = {} } = {}] = await storage.read.select().from(evals);
    const [agent] = await storage.read.select().from(agents);
    await storage.transact(async (tx) => {
      const results = await tx.delete(evalResults).returning();
      await tx.insert(evalResults).values(results.filter(({ number }) => number === 1));
      await tx.update(evalRuns).set({
        status: "running",
        // On PostgreSQL, a process without a lease may be alive: this one is the worker's own.
        process: engine.dialect === "sqlite" ? newId() : cloud.deps.owner,
        document,
        spec: { kind: "Agent", metadata: { name: agent?.name }, spec: {} },
        endedAt: null,
        summary: null,
        finished: 1,
        passed: 1,
      });
    });
    cloud.deps.evalWork.wake();
    for (;;) {
      const { body } = await cloud.as("GET", `/eval-runs/${id}`);
      if (body.ended_at === null) continue;
      expect(body).toMatchObject({ status: "complete", finished: 2, passed: 2 });
      break;
    }
    expect(cloud.runtime.runs.slice(spec).map(({ run }) => run.query)).toEqual(["bye"]);
  });

  test("are cancelled by a person, ask nothing more, and can't be cancelled again: 409", async () => {
    await using cloud = await cloudWithEvals(engine);
    await create(cloud);
    await putEval(cloud, evalOf("greets", ["hello", "bye"]));
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<string>();
    cloud.answers(() => {
      asked.resolve();
      return answered.promise;
    });
    const { body } = await cloud.as("POST", "/evals/greets/runs", { concurrency: 1 });
    await asked.promise;
    const cancelled = await cloud.as("POST", `/eval-runs/${body.id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled", finished: 0 } });
    expect(await cloud.as("POST", `/eval-runs/${body.id}/cancel`)).toMatchObject({
      status: 409,
      body: { error: "eval_run_ended" },
    });
    answered.resolve("hello");
    expect((await cloud.as("GET", `/eval-runs/${body.id}`)).body).toMatchObject({ finished: 0 });
  });
});
