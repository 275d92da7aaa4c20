import { expect, test } from "bun:test";
import { deploy, draft, startCloud, type TestCloud } from "../../../support/cloud.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";
import { cloudWithEvals, putEval } from "../evals/staged-evals.ts";

const change = { display_name: "The next", step2: { system_prompt: "Be brief." } };

/** An org with the deployed agent `helper`. */
async function world(engine: TestEngine) {
  const cloud = await startCloud(engine);
  const ada = await cloud.login("ada@example.com");
  const path = await deploy(cloud, ada);
  const as = (method: string, below = "", body?: unknown, headers: Record<string, string> = {}) =>
    cloud.call(method, `${path}${below}`, {
      headers: { ...ada.headers, ...headers },
      ...(body !== undefined && { body }),
    });
  return Object.assign(cloud, { as, ada, path });
}

const promptOf = ({ runtime }: TestCloud) => {
  const { spec } = runtime.agents.get("ada__helper") ?? {};
  return (spec as { spec: { prompts: { system: string } } } | undefined)?.spec.prompts.system;
};

const actionsOf = async (cloud: Awaited<ReturnType<typeof world>>) =>
  (await cloud.call("GET", `${cloud.ada.org}/audit`, { headers: cloud.ada.headers })).body.entries
    .map(({ action }: { action: string }) => action)
    .filter((action: string) => action.startsWith("agent."))
    .reverse();

onEachEngine("the draft of a deployed agent", (engine) => {
  test("changes nothing for runs until it is published, which replaces the version without a pause", async () => {
    await using cloud = await world(engine);
    expect((await cloud.as("GET")).body.has_draft).toBeUndefined();
    expect(await cloud.as("PUT", "/draft", change)).toMatchObject({
      status: 200,
      body: { name: "helper", display_name: "The next", step2: { system_prompt: "Be brief." } },
    });
    const merged = await cloud.as("PUT", "/draft", { step1: { fallback_model: "rehearsal/other" } });
    expect(merged.body).toMatchObject({
      step1: { model: "rehearsal/rehearsal", fallback_model: "rehearsal/other" },
      step2: { system_prompt: "Be brief." },
    });
    expect((await cloud.as("GET", "/draft")).body).toEqual(merged.body);
    const before = await cloud.as("GET");
    expect(before.body).toMatchObject({
      status: "deployed",
      display_name: "The helper",
      has_draft: true,
      step2: { system_prompt: "Answer in one sentence." },
    });
    const run = async () => (await cloud.as("POST", "/run", { query: "hi" })).status;
    expect(await run()).toBe(200);
    expect(promptOf(cloud)).toBe("Answer in one sentence.");

    await cloud.clock.advance(1000);
    expect(await cloud.as("POST", "/draft/publish")).toMatchObject({
      status: 200,
      body: { status: "deployed", agent_id: "ada__helper", deployed_at: "2026-03-10T12:00:01.000Z" },
    });
    expect(promptOf(cloud)).toBe("Be brief.");
    expect((await cloud.as("GET")).body).toMatchObject({
      status: "deployed",
      display_name: "The next",
      step2: { system_prompt: "Be brief." },
    });
    expect(await run()).toBe(200);
    expect(await cloud.as("GET", "/draft")).toMatchObject({
      status: 404,
      body: { error: "draft_not_found" },
    });
    expect((await cloud.as("POST", "/draft/publish")).status).toBe(404);
    expect(await actionsOf(cloud)).toEqual([
      "agent.create",
      "agent.deploy",
      "agent.draft",
      "agent.draft",
      "agent.publish",
    ]);
  });

  test("is refused with every fault (400), and leaves the version in force and the draft as they are", async () => {
    await using cloud = await world(engine);
    await cloud.as("PUT", "/draft", change);
    const faulty = await cloud.as("PUT", "/draft", { step4: { window_size: 0 }, step5: { max_tokens: 0 } });
    expect(faulty).toMatchObject({ status: 400, body: { error: "invalid_config" } });
    expect(faulty.body.details).toHaveLength(2);
    expect((await cloud.as("PUT", "/draft", { name: "other" })).status).toBe(400);
    await cloud.as("PUT", "/draft", { step1: { model: null } });
    expect(await cloud.as("POST", "/draft/publish")).toMatchObject({
      status: 400,
      body: { error: "invalid_config" },
    });
    await cloud.as("PUT", "/draft", { step1: { model: "openai/gpt-5" } });
    expect(await cloud.as("POST", "/draft/publish")).toMatchObject({
      status: 400,
      body: { error: "provider_key_missing" },
    });
    expect(promptOf(cloud)).toBe("Answer in one sentence.");
    expect((await cloud.as("GET")).body).toMatchObject({ status: "deployed", has_draft: true });
  });

  test("is discarded (204), and a changed tag is 412", async () => {
    await using cloud = await world(engine);
    const { etag } = Object.fromEntries((await cloud.as("GET")).headers);
    const match = { "if-match": etag ?? "" };
    expect((await cloud.as("PUT", "/draft", change, match)).status).toBe(200);
    expect((await cloud.as("PUT", "/draft", change, match)).status).toBe(412);
    expect((await cloud.as("DELETE", "/draft")).status).toBe(204);
    expect((await cloud.as("DELETE", "/draft")).status).toBe(404);
    expect((await cloud.as("GET")).body).toMatchObject({ display_name: "The helper" });
  });

  test("outlives a pause, in which direct changes are 409 draft_exists and publishing deploys", async () => {
    await using cloud = await world(engine);
    await cloud.as("PUT", "/draft", change);
    await cloud.as("POST", "/pause");
    expect(await cloud.as("PUT", "", change)).toMatchObject({ status: 409, body: { error: "draft_exists" } });
    expect((await cloud.as("POST", "/draft/publish")).status).toBe(200);
    expect((await cloud.as("GET")).body).toMatchObject({ status: "deployed", display_name: "The next" });
    await cloud.as("POST", "/pause");
    expect((await cloud.as("PUT", "", { display_name: "Direct" })).status).toBe(200);
  });

  test("isn't for an agent that was never deployed (400), which is changed directly", async () => {
    await using cloud = await world(engine);
    const { headers, org } = cloud.ada;
    await cloud.call("POST", `${org}/agents`, { headers, body: draft("new") });
    expect(await cloud.call("PUT", `${org}/agents/new/draft`, { headers, body: change })).toMatchObject({
      status: 400,
      body: { error: "agent_not_deployed" },
    });
    expect(await cloud.as("PUT", "", change)).toMatchObject({
      status: 400,
      body: { error: "agent_deployed", message: expect.stringContaining("draft") },
    });
  });

  test("loses to a pause or another publication at the same time: one of them is told so (409)", async () => {
    await using cloud = await world(engine);
    await cloud.as("PUT", "/draft", change);
    const answers = await Promise.all([
      cloud.as("POST", "/draft/publish"),
      cloud.as("POST", "/draft/publish"),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    expect([
      [200, 404],
      [200, 409],
    ]).toContainEqual(statuses);
  });
});

onEachEngine("the gate of a published draft", (engine) => {
  test("asks for evals of the draft (422), which are run with draft: true", async () => {
    await using cloud = await cloudWithEvals(engine);
    await cloud.as("POST", "/agents", draft("support"));
    await cloud.as("POST", "/agents/support/deploy");
    await cloud.as("PUT", "/agents/support/release", { requires: [{ eval: "greets" }] });
    await putEval(cloud, evalOf("greets", ["hello"]));
    await cloud.as("PUT", "/agents/support/draft", change);
    await cloud.runToEnd("greets");
    expect(await cloud.as("POST", "/agents/support/draft/publish")).toMatchObject({
      status: 422,
      body: { error: "release_refused" },
    });
    await cloud.runToEnd("greets", { draft: true });
    expect((await cloud.as("POST", "/agents/support/draft/publish")).status).toBe(200);
  });
});
