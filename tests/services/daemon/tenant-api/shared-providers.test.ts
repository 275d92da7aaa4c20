import { describe, expect, test } from "bun:test";
import type { ModelScript, ModelStep } from "../../../support/model-server.ts";
import { startTenantRuntime, type TenantRuntime, tenantB } from "../../../support/tenant-runtime.ts";

const never = new Promise<void>(() => {});
const lab = (more: Record<string, unknown> = {}) => ({ primary: { provider: "lab", model: "m", ...more } });
const fine: ModelStep = { text: "Hello there." };

interface Provocation {
  name: string;
  spec: Record<string, unknown>;
  /** The operator's server's answer to this tenant's requests. */
  step: ModelStep;
  /** Called once a request of the tenant has arrived. */
  meanwhile?: (runtime: TenantRuntime) => Promise<unknown>;
}

const provocations: Provocation[] = [
  {
    name: "a model's time limit of 1 s",
    spec: { model: lab({ timeout_seconds: 1 }) },
    step: { after: never },
    meanwhile: ({ clock }) => clock.advance(1000),
  },
  {
    name: "a run's time limit of 1 s",
    spec: { model: lab(), orchestration: { timeout_seconds: 1 } },
    step: { after: never },
    meanwhile: ({ clock }) => clock.advance(1000),
  },
  {
    name: "stop texts that leave nothing",
    spec: { model: lab({ parameters: { stop: ["a", "e", " "] } }) },
    step: { text: "", usage: { input: 5, output: 0 } },
  },
  { name: "an empty answer without any", spec: { model: lab() }, step: { text: "" } },
  { name: "a burst", spec: { model: lab() }, step: { status: 429, body: "slow down" } },
  { name: "an unknown model", spec: { model: lab({ model: "no-such" }) }, step: { status: 404, body: "?" } },
  { name: "a bad schema", spec: { model: lab() }, step: { status: 400, body: "bad schema" } },
  { name: "a schema that breaks the server", spec: { model: lab() }, step: { status: 500, body: "boom" } },
  { name: "an answer too long for a gateway", spec: { model: lab() }, step: { status: 504, body: "" } },
  { name: "a prompt too long", spec: { model: lab() }, step: { status: 413, body: "" } },
  { name: "a refused content", spec: { model: lab() }, step: { text: "", finish: "content_filter" } },
  { name: "an answer that breaks off", spec: { model: lab() }, step: { text: "Hi you", cutAfter: 1 } },
  { name: "no JSON", spec: { model: lab() }, step: { body: "<p>", headers: { "content-type": "x/json" } } },
];

/** The operator's server: `step` for the provoking tenant, recognized by its prompt, and a good answer for all others. */
function twoFaced(step: ModelStep, arrived: () => void): ModelScript {
  return ({ body }) => {
    if (!JSON.stringify(body.messages).includes("PROVOKE")) return fine;
    arrived();
    return step;
  };
}

describe("what a tenant leads to closes the operator's provider to no one else", () => {
  test.each(provocations)("$name", async ({ spec, step, meanwhile }) => {
    let arrived = Promise.withResolvers<void>();
    await using runtime = await startTenantRuntime({ script: twoFaced(step, () => arrived.resolve()) });
    const mine = await runtime.register({ ...spec, prompts: { system: "PROVOKE" } });
    const other = await runtime.register({ model: lab() }, { tenant: tenantB, id: "b" });
    for (let run = 0; run < 4; run++) {
      arrived = Promise.withResolvers();
      const running = runtime.run(mine);
      await Promise.race([arrived.promise, running]);
      await meanwhile?.(runtime);
      expect((await running).ended.error).toBeDefined();
    }
    expect((await runtime.run(other)).response).toBe("Hello there.");
    const providers = await (await fetch(`${runtime.url}/v1/providers`)).json();
    expect(JSON.stringify(providers)).not.toMatch(/unavailable|degraded/);
  });

  test("two persons with two tenants each shut out themselves, and no third person", async () => {
    const broken: ModelStep = { status: 500, body: "boom" };
    await using runtime = await startTenantRuntime({ script: twoFaced(broken, () => {}) });
    const spec = { model: lab() };
    const register = (tenant: string, more = {}) =>
      runtime.register({ ...spec, ...more }, { tenant, id: `agent of ${tenant}` });
    const provoking = { prompts: { system: "PROVOKE" } };
    const greedy: [name: string, owner: string][] = [];
    for (const owner of ["ann", "bob"]) {
      for (const tenant of [`${owner}-1`, `${owner}-2`])
        greedy.push([await register(tenant, provoking), owner]);
    }
    const other = await register("cem-1");
    for (let minute = 0; minute < 3; minute++) {
      for (let round = 0; round < 2; round++) {
        for (const [name, owner] of greedy) await runtime.run(name, { owner });
      }
      const asked = runtime.lab.requests.length;
      for (const [name, owner] of greedy) {
        const { error } = (await runtime.run(name, { owner })).ended;
        expect(error?.code).toBe("no_provider_available");
      }
      expect(runtime.lab.requests).toHaveLength(asked);
      const { response, ended } = await runtime.run(other, { owner: "cem" });
      expect([response, ended.error]).toEqual(["Hello there.", undefined]);
      await runtime.clock.advance(60_000);
    }
  });

  test("an outage that two tenants see closes it to all", async () => {
    await using runtime = await startTenantRuntime({ script: [{ status: 503, body: "down" }] });
    const one = await runtime.register({ model: lab() });
    const two = await runtime.register({ model: lab() }, { tenant: tenantB, id: "b" });
    for (const name of [one, one, two]) await runtime.run(name);
    const asked = runtime.lab.requests.length;
    expect((await runtime.run(two)).ended.error?.code).toBe("no_provider_available");
    expect(runtime.lab.requests).toHaveLength(asked);
  });
});
