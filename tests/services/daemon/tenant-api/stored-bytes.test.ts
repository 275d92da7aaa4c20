import { expect, test } from "bun:test";
import { startTenantRuntime, tenantA, tenantB, transports } from "../../../support/tenant-runtime.ts";

test.each(transports)(
  "a real runtime says %s what each tenant stores, the operator's excepted",
  async (transport) => {
    await using runtime = await startTenantRuntime({ transport });
    expect(await runtime.client.stored([tenantA, tenantB])).toEqual([]);
    const ofA = await runtime.register({}, { tenant: tenantA, id: "a" });
    await runtime.run(ofA, { query: "my word is plum" });
    const stored = await runtime.client.stored([tenantA, tenantB, "operator", "nobody"]);
    expect(new Set(stored.map(({ owner_id }) => owner_id))).toEqual(new Set([tenantA]));
    const memory = stored.find(({ area }) => area === "memory");
    expect(memory?.bytes).toBeGreaterThan("my word is plum".length);
    expect(await runtime.client.stored([tenantB])).toEqual([]);
  },
);
