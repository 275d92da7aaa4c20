import { expect, test } from "bun:test";
import { startPlatform } from "../../support/platform.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

onEachEngine("the platform", (engine) => {
  test("answers over its own database; an unknown path is 404", async () => {
    await using platform = await startPlatform(engine);
    expect(await platform.call("GET", "/healthz")).toMatchObject({ status: 200 });
    const tenant = await platform.tenant();
    expect(tenant.key).toStartWith("apk_");
    expect(await platform.call("GET", "/api/v1/nothing")).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
  });
});
