import { expect, test } from "bun:test";
import { readSpec } from "../../../../src/services/platform/agents/read-spec.ts";
import { replaceAgent } from "../../../../src/services/platform/agents/save-agent.ts";
import { judgeRelease } from "../../../../src/services/platform/evals/judge-release.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { asOwner, create, platformWithOwner, specOf } from "./sent-spec.ts";

onEachEngine("versions of an agent", (engine) => {
  test("are kept up to 100 beside the current one and those of runs; a dropped one is 404", async () => {
    await using platform = await platformWithOwner(engine);
    const { deps, owner } = platform;
    await create(platform, specOf("helper"));
    await create(platform, specOf("other"));
    const run = () => asOwner(platform, "POST", "/api/v1/agents/helper/run", { body: { query: "hi" } });
    expect((await run()).status).toBe(200);
    const sent = await readSpec({ format: "json", value: specOf("helper") });
    const tenant = { tenantId: owner.id, author: "test" };
    for (let number = 2; number <= 104; number++) {
      await replaceAgent({ ...deps, judgeRelease }, tenant, "helper", sent);
      if (number === 3) expect((await run()).status).toBe(200);
    }
    const numbers = async (name: string) => {
      const { body } = await asOwner(platform, "GET", `/api/v1/agents/${name}/versions`);
      return (body.versions as { number: number }[]).map(({ number }) => number);
    };
    // Of 104, the runs' 1 and 3, the current one, and the newest hundred of the others stay: 2 is gone.
    const kept = await numbers("helper");
    expect([kept.length, kept[0], ...kept.slice(-3)]).toEqual([103, 104, 4, 3, 1]);
    expect(await numbers("other")).toEqual([1]);
    expect((await asOwner(platform, "GET", "/api/v1/agents/helper/versions/2")).status).toBe(404);
    expect((await asOwner(platform, "POST", "/api/v1/agents/helper/versions/1/restore")).status).toBe(201);
    expect((await numbers("helper"))[0]).toBe(105);
  });
});
