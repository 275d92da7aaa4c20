import { expect, test } from "bun:test";
import type { RuntimeCatalog } from "../../../../src/contracts/runtime/catalog.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { startPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const parameters = { type: "object", properties: { query: { type: "string" } } };
const catalog: RuntimeCatalog = {
  guardrails: [],
  providers: [],
  builtins: [{ name: "web_search", description: "Searches.", parameters, writes: false }],
  integrations: [
    {
      slug: "erp",
      description: "An ERP.",
      actions: [{ name: "create_order", description: "Orders.", writes: true, parameters }],
    },
  ],
};

onEachEngine("the catalog", (engine) => {
  test("is what the runtime has now; without a credential it is 401", async () => {
    let now: RuntimeCatalog = { builtins: [], guardrails: [], providers: [], integrations: [] };
    await using platform = await startPlatform(engine, (deps) => ({
      ...deps,
      runtime: { ...deps.runtime, catalog: async () => now },
    }));
    const { asProgram: headers } = await platform.tenant();
    const read = () => platform.call("GET", "/api/v1/catalog", { headers });
    expect(await read()).toMatchObject({
      status: 200,
      body: { builtins: [], guardrails: [], providers: [], integrations: [] },
    });
    now = catalog;
    expect((await read()).body).toEqual(catalog);
    expect((await platform.call("GET", "/api/v1/catalog")).status).toBe(401);
  });

  test("without a runtime is 502", async () => {
    await using platform = await startPlatform(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        async catalog() {
          throw new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached.");
        },
      },
    }));
    const { asProgram: headers } = await platform.tenant();
    expect(await platform.call("GET", "/api/v1/catalog", { headers })).toMatchObject({
      status: 502,
      body: { error: "runtime_unreachable" },
    });
  });
});
