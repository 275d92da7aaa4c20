import { expect, test } from "bun:test";
import { startCloud } from "../../../support/cloud.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";

const helper = { name: "helper", display_name: "Helper", step1: { model: "openai/gpt-5-mini" } };

onEachEngine("checking a config", (engine: TestEngine) => {
  test("tells the faults of a write, then those of a deployment with the manifest, and stores nothing", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com", "Ada");
    const check = async (body: object) =>
      (await cloud.call("POST", `${ada.org}/check`, { headers: ada.headers, body })).body;
    const faulty = await check({ ...helper, name: "No Name", step4: { window_size: 900 } });
    expect(faulty.problems.map(({ path }: { path: string }) => path)).toEqual(["name", "step4.window_size"]);
    expect(faulty).toMatchObject({ missing: [], manifest: null });
    const unready = await check(helper);
    expect(unready.problems).toEqual([]);
    expect(unready.missing).toEqual([
      { path: "step2.system_prompt", message: "is required to deploy the agent" },
      { path: "step1.model", message: "needs a key of the org for openai" },
    ]);
    expect(unready.manifest).toContain("model: gpt-5-mini");
    const ready = await check({
      ...helper,
      step1: { model: "rehearsal/rehearsal" },
      step2: { system_prompt: "Hi." },
    });
    expect(ready).toMatchObject({ problems: [], missing: [] });
    expect((await cloud.call("GET", `${ada.org}/agents`, { headers: ada.headers })).body.agents).toEqual([]);
  });

  test("a model without a slash is ollama's and needs no key, even if it is named like a provider", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com", "Ada");
    const asked = async (step1: object) => {
      const body = { ...helper, step1, step2: { system_prompt: "Hi." } };
      return (await cloud.call("POST", `${ada.org}/check`, { headers: ada.headers, body })).body.missing;
    };
    expect(await asked({ model: "mistral" })).toEqual([]);
    expect(await asked({ model: "llama3", fallback_model: "mistral" })).toEqual([]);
    expect(await asked({ model: "mistral/mistral" })).toEqual([
      { path: "step1.model", message: "needs a key of the org for mistral" },
    ]);
  });

  test("is for members of the org: another person is 403", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com", "Ada");
    const bob = await cloud.login("bob@example.com", "Bob");
    const asked = await cloud.call("POST", `${ada.org}/check`, { headers: bob.headers, body: helper });
    expect(asked.status).toBe(403);
  });
});
