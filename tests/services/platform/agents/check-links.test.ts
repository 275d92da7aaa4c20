import { expect, test } from "bun:test";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { asOwner, create, type PlatformWithOwner, platformWithOwner, specOf, yaml } from "./sent-spec.ts";

const chainTo = (agents: readonly string[], more: object = {}) => ({
  chain: { on_complete: agents.map((agent) => ({ agent })), ...more },
});
const toolTo = (agent: string) => ({ tools: [{ name: "ask", type: "agent", config: { agent } }] });

const put = (platform: PlatformWithOwner, name: string, spec: Record<string, unknown> = {}) =>
  asOwner(platform, "PUT", `/api/v1/agents/${name}`, { body: specOf(name, spec) });

async function stored(platform: PlatformWithOwner, agents: Record<string, Record<string, unknown>>) {
  for (const [name, spec] of Object.entries(agents)) {
    expect(await create(platform, specOf(name, spec))).toMatchObject({ status: 201 });
  }
}

onEachEngine("what a tenant's agents lead to", (engine) => {
  test.each<[string, Record<string, unknown>, string]>([
    ["a chain", chainTo(["ghost"]), "spec.chain.on_complete[0].agent"],
    ["the second link of a chain", chainTo(["other", "ghost"]), "spec.chain.on_complete[1].agent"],
    [
      "a stand-in",
      { chain: { on_complete: [{ agent: "other", on_error: "ghost" }] } },
      "spec.chain.on_complete[0].on_error",
    ],
    ["a tool", toolTo("ghost"), "spec.tools[0].config.agent"],
  ])("has to be there, or the spec is 400: %s", async (_, spec, path) => {
    await using platform = await platformWithOwner(engine);
    await stored(platform, { other: {}, helper: {} });
    for (const refused of [
      await create(platform, specOf("new", spec)),
      await put(platform, "helper", spec),
    ]) {
      expect(refused).toMatchObject({
        status: 400,
        body: { error: "invalid_manifest", problems: [{ path, message: expect.stringContaining("ghost") }] },
      });
    }
    const { body } = await asOwner(platform, "GET", "/api/v1/agents/helper/versions");
    expect(body.versions).toHaveLength(1);
    expect((await asOwner(platform, "GET", "/api/v1/agents/new")).status).toBe(404);
  });

  test("is looked up inside the tenant alone; a missing agent is 400", async () => {
    await using platform = await platformWithOwner(engine);
    const { asProgram } = await platform.tenant();
    await platform.call("POST", "/api/v1/agents", { body: specOf("ghost"), headers: asProgram });
    expect((await create(platform, specOf("helper", chainTo(["ghost"])))).status).toBe(400);
  });

  test.each<[string, Record<string, Record<string, unknown>>, string, Record<string, unknown>]>([
    ["to itself", { a: {} }, "a", chainTo(["a"])],
    ["back from the next", { b: {}, a: chainTo(["b"]) }, "b", chainTo(["a"])],
    ["back from afar", { c: {}, b: chainTo(["c"]), a: chainTo(["b"]) }, "c", chainTo(["a"])],
    [
      "back by a stand-in",
      { b: {}, a: chainTo(["b"]) },
      "b",
      { chain: { on_complete: [{ agent: "b2", on_error: "a" }] } },
    ],
  ])("is not a circle, which is 400: %s", async (_, agents, name, spec) => {
    await using platform = await platformWithOwner(engine);
    await stored(platform, { b2: {}, ...agents });
    expect(await put(platform, name, spec)).toMatchObject({
      status: 400,
      body: { problems: [{ path: "spec.chain.on_complete", message: expect.stringContaining("cycle") }] },
    });
  });

  test("is 400 when it is too deep, for the agent itself and for agents that lead to it", async () => {
    await using platform = await platformWithOwner(engine);
    await stored(platform, { c: {}, b: {}, a: chainTo(["b"], { max_depth: 1 }) });
    const own = await create(platform, specOf("z", chainTo(["a"], { max_depth: 1 })));
    expect(own).toMatchObject({ status: 400, body: { problems: [{ path: "spec.chain.max_depth" }] } });
    const another = await put(platform, "b", chainTo(["c"]));
    expect(another).toMatchObject({
      status: 400,
      body: {
        problems: [
          {
            path: "spec.chain.on_complete",
            message: expect.stringMatching(/breaks the agent a,.*2 deep: a → b → c/),
          },
        ],
      },
    });
    // Tools may form a cycle: each call is bounded by the run's limits.
    expect((await put(platform, "c", toolTo("b"))).status).toBe(200);
    expect((await put(platform, "b", toolTo("c"))).status).toBe(200);
  });

  test("names the line of a fault in YAML", async () => {
    await using platform = await platformWithOwner(engine);
    const body = `apiVersion: platform/v1
kind: Agent
metadata: { name: helper }
spec:
  chain:
    on_complete:
      - agent: ghost
`;
    const refused = await asOwner(platform, "POST", "/api/v1/agents", { body, headers: yaml });
    expect(refused.body.problems).toMatchObject([{ path: "spec.chain.on_complete[0].agent", line: 7 }]);
  });

  test("may be deleted: the specs that name it stay, and storing them again is 400 until it is back", async () => {
    await using platform = await platformWithOwner(engine);
    await stored(platform, { b: {}, a: chainTo(["b"]), other: {} });
    expect((await asOwner(platform, "DELETE", "/api/v1/agents/b")).status).toBe(204);
    expect((await asOwner(platform, "GET", "/api/v1/agents/a")).status).toBe(200);
    expect(await put(platform, "a", chainTo(["b"]))).toMatchObject({ status: 400 });
    const restored = await asOwner(platform, "POST", "/api/v1/agents/a/versions/1/restore");
    expect(restored.status).toBe(400);
    // Only agents that lead to the faulty agent are affected.
    expect((await put(platform, "other")).status).toBe(200);
    expect(await put(platform, "other", chainTo(["a"]))).toMatchObject({ status: 400 });
    // A new agent of the name may not close a cycle either.
    expect(await create(platform, specOf("b", chainTo(["a"])))).toMatchObject({ status: 400 });
    expect((await create(platform, specOf("b"))).status).toBe(201);
    expect((await put(platform, "a", chainTo(["b"]))).status).toBe(200);
  });

  test("is known of agents that were stored before it was kept", async () => {
    await using platform = await platformWithOwner(engine);
    await stored(platform, { b: {}, a: chainTo(["b"]) });
    const { storage } = platform.deps;
    await storage.transact((tx) => tx.update(storage.tables.agents).set({ links: null }));
    expect(await put(platform, "b", chainTo(["a"]))).toMatchObject({ status: 400 });
  });

  test("of two writes at once that close a circle together one is 400", async () => {
    await using platform = await platformWithOwner(engine);
    await stored(platform, { a: {}, b: {} });
    const answers = await Promise.all([
      put(platform, "a", chainTo(["b"])),
      put(platform, "b", chainTo(["a"])),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});
