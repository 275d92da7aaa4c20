import { expect, test } from "bun:test";
import type { InvocationSummary } from "../../../../src/contracts/platform/observability.ts";
import { asOperator } from "../../../support/platform.ts";
import { platformWithAgent } from "../../../support/platform-agent.ts";
import { addInvocation } from "../../../support/platform-history.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const filters = [
  ["", ["eval", "playground", "production", "production"]],
  ["source=all", ["eval", "playground", "production", "production"]],
  ["source=traffic", ["production", "production"]],
  ["source=production", ["production", "production"]],
  ["source=playground", ["playground"]],
  ["source=eval", ["eval"]],
  ["source=trigger", []],
] as const;

onEachEngine("the source of a tenant's run", (engine) => {
  test("is recorded, told to the runtime, and filters the lists of tenant and operator", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner, runtime, call } = platform;
    const headers = owner.asProgram;
    const [agent] = await platform.deps.storage.read.select().from(platform.deps.storage.tables.agents);
    // A run of an earlier version has no source.
    await addInvocation(platform, { tenantId: owner.id, agentId: agent?.id ?? "" });
    for (const source of [undefined, "playground", "eval"]) {
      const body = { query: "hi", ...(source && { source }) };
      expect((await call("POST", "/api/v1/agents/support/run", { headers, body })).status).toBe(200);
    }
    expect(runtime.runs.map(({ run }) => run.source)).toEqual([undefined, "playground", "eval"]);
    for (const [query, sources] of filters) {
      const lists = [
        await call("GET", `/api/v1/invocations?${query}`, { headers }),
        await call("GET", `/api/v1/agents/support/status?${query}`, { headers }),
        await call("GET", `/api/v1/admin/invocations?tenant_id=${owner.id}&${query}`, {
          headers: asOperator,
        }),
      ];
      for (const { body } of lists)
        expect(body.invocations.map(({ source }: InvocationSummary) => source)).toEqual([...sources]);
    }
  });

  test.each(["trigger", "all", "test", ""])(
    "%p as the source of a run is 400, and nothing runs",
    async (source) => {
      await using platform = await platformWithAgent(engine);
      const asked = { headers: platform.owner.asProgram, body: { query: "hi", source } };
      expect((await platform.call("POST", "/api/v1/agents/support/run", asked)).status).toBe(400);
      expect(platform.runtime.runs).toEqual([]);
      const { headers } = asked;
      const list = await platform.call("GET", "/api/v1/invocations?source=none", { headers });
      expect(list.status).toBe(400);
    },
  );
});
