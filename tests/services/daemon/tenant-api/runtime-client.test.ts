import { describe, expect, test } from "bun:test";
import { toAppError } from "../../../../src/kit/app-error.ts";
import {
  manifestOf,
  readRun,
  runOf,
  startTenantRuntime,
  tenantA,
  tenantB,
  transports,
} from "../../../support/tenant-runtime.ts";

const thrownBy = async (work: () => Promise<unknown>) => {
  try {
    await work();
  } catch (thrown) {
    const { code, status, details } = toAppError(thrown);
    return { code, status, problems: details.problems };
  }
  throw new Error("nothing was thrown");
};

describe.each(transports)("the runtime %s", (transport) => {
  test("runs without a token limit if the control plane sends none", async () => {
    await using runtime = await startTenantRuntime({ transport });
    const name = await runtime.register();
    const { ended } = await runtime.run(name, { query: "x".repeat(9000), limits: { timeout_ms: 1000 } });
    expect(ended.outcome).toBe("ok");
    expect(runtime.lab.requests[0]?.body.max_tokens).toBeUndefined();
  });

  test("registers, lists, runs and forgets an agent, which is 404 afterwards", async () => {
    await using runtime = await startTenantRuntime({ transport });
    const name = await runtime.register();
    expect(await runtime.client.list()).toEqual({
      agents: [{ runtime_name: name, checksum: expect.any(String) }],
    });
    const { frames, ended, response } = await runtime.run(name);
    expect(response).toBe("Hello there.");
    expect(frames.map((frame) => (frame.type === "token" ? frame.content : "")).join("")).toBe(
      "Hello there.",
    );
    expect(ended).toMatchObject({
      outcome: "ok",
      usage: [{ provider: "lab", model: "test-model", role: "main", estimated: false }],
      duration_ms: expect.any(Number),
    });
    await runtime.client.deregister(name);
    expect(await runtime.client.list()).toEqual({ agents: [] });
    expect(await thrownBy(() => readRun(runtime.client.run(name, runOf(name))))).toMatchObject({
      code: "agent_not_found",
      status: 404,
    });
  });

  test("says what was registered, and that nothing has changed", async () => {
    await using runtime = await startTenantRuntime({ transport });
    const agent = {
      tenant_id: tenantA,
      agent_id: "a1",
      name: "desk",
      checksum: "c1",
      spec: manifestOf("desk", {
        tools: [{ name: "billing", type: "agent", config: { agent: "billing" } }],
        chain: { on_complete: [{ agent: "archive", on_error: "alarm" }] },
        model: {
          primary: { provider: "lab", model: "m1" },
          fallback: { provider: "lab", model: "m2" },
          roles: { planner: { candidates: [{ provider: "lab", model: "m3" }] } },
        },
      }),
    };
    const name = `t_${tenantA}__desk`;
    const expected = {
      runtime_name: name,
      checksum: "c1",
      candidates: [
        { provider: "lab", model: "m1", role: "main" },
        { provider: "lab", model: "m2", role: "main" },
        { provider: "lab", model: "m3", role: "planner" },
      ],
      references: ["billing", "archive", "alarm"],
    };
    expect(await runtime.client.register(name, agent)).toEqual({ ...expected, status: "registered" });
    expect(await runtime.client.register(name, agent)).toEqual({ ...expected, status: "unchanged" });
  });

  test("refuses with 409 a version that is not the current one", async () => {
    await using runtime = await startTenantRuntime({ transport });
    const name = await runtime.register();
    const run = runOf(name, { checksum: "other" });
    expect(await thrownBy(() => readRun(runtime.client.run(name, run)))).toMatchObject({
      code: "agent_outdated",
      status: 409,
    });
    expect(runtime.lab.requests).toHaveLength(0);
  });

  test.each([
    ["another tenant's name", `t_${tenantB}__helper`, tenantA],
    ["a name without a tenant", "helper", tenantA],
    ["the operator's tenant", "t_operator__helper", "operator"],
    ["a tenant that reaches into another's names", "t_a__b__helper", "a__b"],
  ])("refuses to register %s: 400 or 422", async (_, runtimeName, tenant) => {
    await using runtime = await startTenantRuntime({ transport });
    const refused = await thrownBy(() =>
      runtime.client.register(runtimeName, {
        tenant_id: tenant,
        agent_id: "a1",
        name: "helper",
        checksum: "c",
        spec: manifestOf("helper"),
      }),
    );
    expect([400, 422]).toContain(refused.status);
    expect(await runtime.client.list()).toEqual({ agents: [] });
  });

  test("a manifest that can't run is 422, with its problems", async () => {
    await using runtime = await startTenantRuntime({ transport });
    expect(await runtime.problems({})).toEqual([]);
    expect(await runtime.problems({ orchestration: { pattern: "dance" } })).toEqual([
      expect.objectContaining({ path: "spec.orchestration.pattern" }),
    ]);
    const refused = await thrownBy(() => runtime.register({ nonsense: 1 }));
    expect(refused).toMatchObject({ code: "invalid_manifest", status: 422 });
    expect(refused.problems).toEqual([expect.objectContaining({ path: "spec.nonsense" })]);
    expect(await runtime.client.list()).toEqual({ agents: [] });
  });

  test("ends a run by its id, and says what it used", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: [{ text: "Hello there.", silentAfter: 2 }],
    });
    const name = await runtime.register();
    const run = runOf(name);
    const stream = runtime.client.run(name, run)[Symbol.asyncIterator]();
    const first = await stream.next();
    expect(first.value).toMatchObject({ type: "token" });
    await runtime.client.cancel(run.run_id);
    const rest = await readRun({ [Symbol.asyncIterator]: () => stream });
    expect(rest.ended).toMatchObject({
      outcome: "cancelled",
      error: { code: "run_cancelled" },
      usage: [{ provider: "lab", model: "test-model", role: "main", estimated: true }],
    });
    expect(rest.ended.usage[0]?.tokens_in).toBeGreaterThan(0);
  });

  test("a cancellation that comes before its run ends it", async () => {
    await using runtime = await startTenantRuntime({ transport });
    const name = await runtime.register();
    const run = runOf(name);
    await runtime.client.cancel(run.run_id);
    const { ended } = await readRun(runtime.client.run(name, run));
    expect(ended).toMatchObject({ outcome: "cancelled", usage: [] });
    expect(runtime.lab.requests).toHaveLength(0);
  });

  test("cancelling what is not there does nothing", async () => {
    await using runtime = await startTenantRuntime({ transport });
    await runtime.client.cancel("nobody");
    expect((await runtime.run(await runtime.register())).ended.outcome).toBe("ok");
  });
});
