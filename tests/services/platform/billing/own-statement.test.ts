import { expect, test } from "bun:test";
import { asOperator, startPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("a tenant's own statement", (engine) => {
  test("is the same as the operator's, for its program and its owner; another tenant's is 404", async () => {
    await using platform = await startPlatform(engine);
    const ada = await platform.tenant();
    const bob = await platform.tenant();
    const path = "/api/v1/statement";
    const { body: official } = await platform.call("GET", `/api/v1/admin/tenants/${ada.id}/statement`, {
      headers: asOperator,
    });
    const asOwner = { ...ada.asPerson, "x-tenant-id": ada.id };
    for (const headers of [ada.asProgram, asOwner]) {
      expect(await platform.call("GET", path, { headers })).toMatchObject({ status: 200, body: official });
    }
    const csv = await platform.call("GET", path, { headers: { ...ada.asProgram, accept: "text/csv" } });
    expect(csv.headers.get("content-type")).toStartWith("text/csv");
    const foreign = await platform.call("GET", path, { headers: { ...bob.asPerson, "x-tenant-id": ada.id } });
    expect(foreign.status).toBe(404);
    expect((await platform.call("GET", path)).status).toBe(401);
    for (const period of ["2026-13", "2026", "<img src=x>"]) {
      const query = new URLSearchParams({ period });
      expect((await platform.call("GET", `${path}?${query}`, { headers: ada.asProgram })).status).toBe(400);
    }
  });
});
