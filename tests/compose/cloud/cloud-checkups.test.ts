import { expect, test } from "bun:test";
import { cloudCheckups } from "../../../src/compose/cloud/cloud-checkups.ts";
import { deploy, startCloud } from "../../support/cloud.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const { signal } = new AbortController();

onEachEngine("the doctor's checks of the cloud", (engine) => {
  test("tell what is stored and what is missing", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    await deploy(cloud, ada);
    const key = { provider: "openai", api_key: "sk-canary-0123456789" };
    await cloud.call("POST", `${ada.org}/providers`, { headers: ada.headers, body: key });
    const look = async (change: object = {}, hasKeys = true) => {
      const checkups = cloudCheckups({ ...cloud.deps, ...change }, { folder: "/data", hasKeys });
      const reports = checkups.map(async ({ name, look }) => [name, await look(signal)] as const);
      return Object.fromEntries(await Promise.all(reports));
    };
    const usual = await look();
    expect(Object.values(usual).map(({ status }) => status)).toEqual(Array(4).fill("healthy"));
    expect(usual["cloud agents"]?.message).toBe("1 agents of 1 orgs are deployed.");
    expect(usual["cloud provider keys"]?.message).toContain("1 are stored");
    expect(JSON.stringify(usual)).not.toContain("sk-canary");
    expect((await look({ sealer: undefined }))["cloud provider keys"]).toMatchObject({ status: "degraded" });
    expect((await look({}, false))["cloud sign-in"]).toMatchObject({ status: "degraded" });
    expect((await look({ signIn: { ...cloud.deps.signIn, dev: "off" } }))["cloud sign-in"]).toMatchObject({
      message: "No way to sign in is configured.",
    });
    cloud.runtime.deregister = async () => {
      throw new Error("The runtime is away.");
    };
    await cloud.call("DELETE", `${ada.org}/agents/helper`, { headers: ada.headers });
    expect((await look())["cloud agents"]).toMatchObject({ status: "healthy" });
    await cloud.clock.advance(3_600_001);
    expect((await look())["cloud agents"]).toMatchObject({ status: "degraded" });
  });
});
