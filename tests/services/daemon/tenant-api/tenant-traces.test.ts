import { expect, test } from "bun:test";
import { askedTracesMax } from "../../../../src/contracts/runtime/runs.ts";
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
    const asked = [full, String(plain?.trace_id), "unknown"];
    const texts = { question: kept?.spans[0]?.attributes.input, answer: kept?.spans[0]?.attributes.output };
    expect(await client.traceTexts(tenantA, asked)).toEqual(new Map([[full, texts]] as never));
    expect((await client.traceTexts(tenantB, asked)).size).toBe(0);
    const tooMany = Array.from({ length: askedTracesMax + 1 }, (_, number) => `t${number}`);
    await expect(client.traceTexts(tenantA, tooMany)).rejects.toMatchObject({ code: "invalid_request" });
    expect(await client.trace(tenantA, "unknown")).toBeUndefined();
  },
);
