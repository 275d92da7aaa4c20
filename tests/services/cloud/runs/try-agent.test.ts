import { expect, test } from "bun:test";
import { draft, startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("a trial of an agent that is not stored", (engine) => {
  test("asks the agent as it is sent, with the conversation before, and leaves nothing behind", async () => {
    await using cloud = await startCloud(engine);
    const { headers, org } = await cloud.login("ada@example.com");
    const turns = [
      { role: "user", content: "Hi", at: "2026-03-10T12:00:00.000Z" },
      { role: "assistant", content: "Hello.", at: "2026-03-10T12:00:01.000Z" },
    ];
    const body = {
      agent: draft("helper", { step2: { system_prompt: "Be brief." } }),
      query: "And now?",
      turns,
    };
    const answer = await cloud.call("POST", `${org}/try`, { headers, body });
    expect(answer.status).toBe(200);
    expect(answer.body.answer).toBe("Hello there.");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe(answer.headers.get("x-ratelimit-limit"));
    const [{ name, run } = { name: "" }] = cloud.runtime.runs;
    expect(name).toMatch(/^d-[0-9a-f-]{36}__helper$/);
    expect(run).toMatchObject({ query: "And now?", turns, remember: "nothing", source: "playground" });
    expect(cloud.runtime.forgotten.map(({ name }) => name)).toEqual([name]);
    expect([...cloud.runtime.agents.keys()]).toEqual([]);
    expect((await cloud.call("GET", `${org}/agents`, { headers })).body.agents).toEqual([]);
    expect((await cloud.call("GET", `${org}/usage`, { headers })).body.total_requests).toBe(0);
  });

  test.each([
    ["an agent with a fault", { agent: { name: "No name" }, query: "Hi" }, 400, "invalid_config"],
    [
      "an agent without a prompt",
      { agent: draft("helper", { step2: {} }), query: "Hi" },
      400,
      "invalid_config",
    ],
    [
      "a model whose key the org has not",
      { agent: draft("helper", { step1: { model: "openai/gpt-5-mini" } }), query: "Hi" },
      400,
      "provider_key_missing",
    ],
    ["a question of blanks", { agent: draft("helper"), query: "  " }, 400, "invalid_request"],
    ["no agent", { query: "Hi" }, 400, "invalid_request"],
  ])("%s is refused before anything runs", async (_, body, status, code) => {
    await using cloud = await startCloud(engine);
    const { headers, org } = await cloud.login("ada@example.com");
    const refused = await cloud.call("POST", `${org}/try`, { headers, body });
    expect([refused.status, refused.body.error]).toEqual([status, code]);
    expect(cloud.runtime.runs).toEqual([]);
    expect([...cloud.runtime.agents.keys()]).toEqual([]);
  });

  test("another org's person is 403", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const bob = await cloud.login("bob@example.com");
    const body = { agent: draft("helper"), query: "Hi" };
    const refused = await cloud.call("POST", `${ada.org}/try`, { headers: bob.headers, body });
    expect(refused.status).toBe(403);
  });
});
