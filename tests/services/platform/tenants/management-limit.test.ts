import { expect, test } from "bun:test";
import { managementWritesMax } from "../../../../src/services/platform/tenants/management-limit.ts";
import { startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { specOf } from "../agents/sent-spec.ts";

const refused = { status: 429, body: { error: "rate_limited" } };

/** Uses up the allowed writes: refused writes count too. */
async function useUp(platform: TestPlatform, path: string, headers: Record<string, string>) {
  for (let write = 0; write < managementWritesMax; write++) {
    const { status } = await platform.call("DELETE", path, { headers });
    if (status !== 404) throw new Error(`write ${write} came to ${status}`);
  }
}

onEachEngine("what a tenant may change in a minute", (engine) => {
  test("is bounded over all of its routes, and not used up by writes of other tenants", async () => {
    await using platform = await startPlatform(engine);
    const [one, other] = [await platform.tenant(), await platform.tenant()];
    await useUp(platform, "/api/v1/agents/ghost", one.asProgram);
    const write = (method: string, path: string, body: object, headers: Record<string, string>) =>
      platform.call(method, path, { body, headers });
    const writes: [string, string, object][] = [
      ["POST", "/api/v1/agents", specOf("helper")],
      ["PUT", "/api/v1/agents/helper", specOf("helper")],
      ["POST", "/api/v1/agents/helper/versions/1/restore", {}],
      ["PUT", "/api/v1/connections/api_crm", { base_url: "https://crm.example", material: { key: "k" } }],
      ["DELETE", "/api/v1/connections/api_crm", {}],
    ];
    for (const [method, path, body] of writes) {
      expect([path, await write(method, path, body, one.asProgram)]).toMatchObject([path, refused]);
      // With any credential.
      expect(await write(method, path, body, one.asPerson)).toMatchObject(refused);
    }
    const last = await write("POST", "/api/v1/agents", specOf("helper"), one.asProgram);
    expect(last.headers.get("retry-after")).toBe("60");
    expect((await platform.call("GET", "/api/v1/agents", { headers: one.asProgram })).status).toBe(200);
    expect((await write("POST", "/api/v1/agents", specOf("helper"), other.asProgram)).status).toBe(201);
    await platform.clock.advance(60_000);
    expect((await write("POST", "/api/v1/agents", specOf("helper"), one.asProgram)).status).toBe(201);
  });

  test("a person's keys and tenants too; who names another's tenant uses up their own", async () => {
    await using platform = await startPlatform(engine);
    const [one, other] = [await platform.tenant(), await platform.tenant()];
    await useUp(platform, `/api/v1/tenants/${other.id}/keys/ghost`, one.asPerson);
    const createKey = ({ id, asPerson }: typeof one) =>
      platform.call("POST", `/api/v1/tenants/${id}/keys`, { body: { label: "x" }, headers: asPerson });
    expect(await createKey(one)).toMatchObject(refused);
    const tenant = { body: { displayName: "Two" }, headers: one.asPerson };
    expect(await platform.call("POST", "/api/v1/tenants", tenant)).toMatchObject(refused);
    expect((await createKey(other)).status).toBe(201);
  });

  test("requests without a credential are 401 and not counted", async () => {
    await using platform = await startPlatform(engine);
    const headers = { "x-api-key": "apk_unknown" };
    expect((await platform.call("DELETE", "/api/v1/agents/ghost", { headers })).status).toBe(401);
    const { read, tables } = platform.deps.storage;
    expect(await read.select().from(tables.rateWindows)).toEqual([]);
  });
});
