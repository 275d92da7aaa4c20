import { expect, test } from "bun:test";
import { startTenantRuntime, tenantA, tenantB } from "../../../support/tenant-runtime.ts";

test.each(["in process", "over the network"] as const)(
  "a tenant's control plane reads the traces of its own runs alone, %s",
  async (transport) => {
    await using runtime = await startTenantRuntime({ transport });
    const name = await runtime.register();
    const traceOf = async (change: { trace_content?: boolean }) => {
      const { ended } = await runtime.run(name, change);
      if (ended.outcome !== "ok") throw new Error("The run failed.");
      return (ended.result as { trace_id: string }).trace_id;
    };
    const { client } = runtime;
    const plain = await client.trace(tenantA, await traceOf({}));
    expect(plain?.spans[0]).toMatchObject({ name: "agent.run", status: "OK" });
    expect(Object.keys(plain?.spans[0]?.attributes ?? {})).not.toContain("input");
    const full = await traceOf({ trace_content: true });
    await client.judge(tenantA, full, { feedback: { rating: "up", note: "fine" } });
    const kept = await client.trace(tenantA, full);
    expect(kept?.spans[0]?.attributes).toMatchObject({
      input: expect.any(String),
      output: expect.any(String),
    });
    expect(Object.keys(kept ?? {})).not.toContain("feedback");
    expect(await client.trace(tenantB, full)).toBeUndefined();
    expect(await client.trace(tenantA, "unknown")).toBeUndefined();
  },
);
