import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { daemonClient } from "../../../../src/contracts/daemon/client.ts";
import { Gallery, type GalleryAgent } from "../../../../src/contracts/daemon/gallery.ts";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import { sampleAgents } from "../../../support/sample-agents.ts";

async function gallery(agents: Record<string, string>): Promise<GalleryAgent[]> {
  await using daemon = await startDaemon({ agents });
  const found = await daemonClient({ fetch, baseUrl: daemon.url }).gallery();
  expect([...Value.Errors(Gallery, found)]).toEqual([]);
  return found.agents;
}

test("every shipped agent is in the gallery, with the text of its file", async () => {
  const found = await gallery({ "hello.agent.yaml": agentFile("hello") });
  expect(found.map(({ manifest }) => manifest)).toEqual(Object.values(sampleAgents));
  expect(found.filter(({ loaded }) => loaded).map(({ name }) => name)).toEqual(["hello"]);
  for (const { name, about, description } of found) {
    expect([name, about, description]).not.toContain("");
  }
});

test("an entry says what the agent shows, what to ask it, and whom it needs", async () => {
  const found = Object.fromEntries((await gallery({})).map((agent) => [agent.name, agent]));
  expect(found.hello).toMatchObject({
    about: "The smallest agent that does something: it can tell the time.",
    queries: ["What time is it in Tokyo?"],
    pattern: "react",
    topics: ["tools"],
    tools: [{ name: "datetime_now", type: "builtin" }],
    model: "rehearsal/rehearsal",
    needs: [],
  });
  expect(found.concierge).toMatchObject({ pattern: "supervisor", topics: ["tools", "agents"] });
  expect(found.concierge?.needs).toContain("timekeeper");
  expect(found.logbook?.topics).toContain("chain");
  expect(found.logbook?.queries).toEqual(["The gate squeaks.", "Note the time in Lima."]);
  expect(found.private?.topics).toContain("guardrails");
  expect(found["local-first"]?.topics).toContain("fallback_models");
});

test("what the gallery shows can be sent back as a new agent, with those it needs", async () => {
  await using daemon = await startDaemon({ agents: {} });
  const client = daemonClient({ fetch, baseUrl: daemon.url });
  const { agents } = await client.gallery();
  const waiting = new Map(agents.map((agent) => [agent.name, agent]));
  while (waiting.size > 0) {
    const next = [...waiting.values()].find(({ needs }) => !needs.some((name) => waiting.has(name)));
    if (next === undefined) throw new Error("The shipped agents need each other.");
    waiting.delete(next.name);
    // Some of them call a model on this machine, which only the owner may name.
    const created = await daemon.asOwner("POST", "/v1/agents", {
      body: next.manifest,
      headers: { "content-type": "application/yaml" },
    });
    expect([created.status, created.body.status]).toEqual([201, "ready"]);
  }
  expect((await client.gallery()).agents.every(({ loaded }) => loaded)).toBe(true);
});
