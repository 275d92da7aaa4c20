import { expect, test } from "bun:test";
import type { RuntimeUsage } from "../../../../src/contracts/runtime/runs.ts";
import { deploy, draft, startCloud } from "../../../support/cloud.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";
import { cloudWithEvals, putEval } from "../evals/staged-evals.ts";

async function world(engine: TestEngine) {
  const cloud = await startCloud(engine);
  const ada = await cloud.login("ada@example.com");
  await deploy(cloud, ada);
  const as = (method: string, path: string, body?: unknown) =>
    cloud.call(method, `${ada.org}${path}`, { headers: ada.headers, ...(body !== undefined && { body }) });
  return Object.assign(cloud, { as });
}

const rename = (name: string) => ({ name });

onEachEngine("a renamed agent", (engine) => {
  test("keeps its id, memory and usage, goes on under the new name, and its former name tells it (404)", async () => {
    await using cloud = await world(engine);
    const run = (name: string) => cloud.as("POST", `/agents/${name}/run`, { query: "hi", session_id: "s" });
    expect((await run("helper")).status).toBe(200);
    const before = cloud.runtime.agents.get("ada__helper");
    expect(await cloud.as("POST", "/agents/helper/rename", rename("guide"))).toMatchObject({
      status: 200,
      body: { name: "guide", agent_id: "ada__guide", status: "deployed" },
    });
    const after = cloud.runtime.agents.get("ada__guide");
    expect(after).toMatchObject({ name: "guide", spec: { metadata: { name: "guide" } } });
    expect(after?.agent_id).toBe(before?.agent_id);
    expect(cloud.runtime.agents.has("ada__helper")).toBe(false);
    expect(cloud.runtime.forgotten).toEqual([]);
    expect((await run("guide")).status).toBe(200);

    const usage = await cloud.as("GET", "/usage");
    expect(usage.body.by_agent).toMatchObject([{ agent: "guide", requests: 2, tokens: 240 }]);
    for (const [method, path, body] of [
      ["GET", "/agents/helper", undefined],
      ["POST", "/agents/helper/run", { query: "hi" }],
      ["POST", "/agents/helper/stream-ticket", undefined],
      ["POST", "/agents/helper/deploy", undefined],
    ] as const)
      expect(await cloud.as(method, path, body)).toMatchObject({
        status: 404,
        body: { message: "There is no agent named helper. It was renamed to guide." },
      });
    expect((await cloud.as("GET", "/agents/guide")).body.former_names).toEqual([
      { name: "helper", renamed_at: "2026-03-10T12:00:00.000Z" },
    ]);
    const { entries } = (await cloud.as("GET", "/audit")).body;
    expect(entries[0]).toMatchObject({
      action: "agent.rename",
      subject: "guide",
      detail: { from: "helper", to: "guide" },
    });
  });

  test("frees its name for another agent, and may take it back; a taken or invalid name is 409 or 400", async () => {
    await using cloud = await world(engine);
    await cloud.as("POST", "/agents", draft("other"));
    expect(await cloud.as("POST", "/agents/helper/rename", rename("other"))).toMatchObject({
      status: 409,
      body: { error: "agent_exists" },
    });
    expect((await cloud.as("POST", "/agents/helper/rename", rename("helper"))).status).toBe(409);
    for (const name of ["", "UPPER", "-x", "a__b", "x".repeat(64)])
      expect((await cloud.as("POST", "/agents/helper/rename", rename(name))).status).toBe(400);
    await cloud.as("POST", "/agents/helper/rename", rename("guide"));
    await cloud.as("POST", "/agents/guide/rename", rename("helper"));
    expect((await cloud.as("GET", "/agents/helper")).body.former_names).toMatchObject([{ name: "guide" }]);
    expect((await cloud.as("POST", "/agents", draft("guide"))).status).toBe(201);
    expect((await cloud.as("GET", "/agents/helper")).body.former_names).toBeUndefined();
    await cloud.as("POST", "/agents/guide/rename", rename("tour"));
    await cloud.as("DELETE", "/agents/tour");
    expect((await cloud.as("GET", "/agents/guide")).body.message).toBe("There is no agent named guide.");
    expect((await cloud.as("POST", "/agents/nobody/rename", rename("x"))).status).toBe(404);
  });

  test("adds its usage to what a deleted agent of the new name has left", async () => {
    await using cloud = await world(engine);
    await cloud.as("POST", "/agents", draft("guide"));
    await cloud.as("POST", "/agents/guide/deploy");
    const [line] = ended().usage;
    cloud.runtime.plays(async function* () {
      yield ended({ usage: [{ ...(line as RuntimeUsage), cost_micros: 30 }] });
    });
    for (const name of ["helper", "guide"]) await cloud.as("POST", `/agents/${name}/run`, { query: "hi" });
    await cloud.as("DELETE", "/agents/guide");
    await cloud.as("POST", "/agents/helper/rename", rename("guide"));
    expect((await cloud.as("GET", "/usage")).body).toMatchObject({
      total_requests: 2,
      by_agent: [{ agent: "guide", requests: 2, tokens: 240, cost_micros: 60, unpriced_tokens: 0 }],
      by_key: [{ caused_by: "person", requests: 2, cost_micros: 60 }],
    });
  });

  test("keeps its evals and the runs that its gate counts, and leaves the gate to its former name", async () => {
    await using cloud = await cloudWithEvals(engine);
    await cloud.as("POST", "/agents", draft("support"));
    await cloud.as("PUT", "/agents/support/release", { requires: [{ eval: "greets" }] });
    await putEval(cloud, evalOf("greets", ["hello"], { agent: "support" }));
    await cloud.runToEnd("greets");
    expect((await cloud.as("POST", "/agents/support/rename", rename("desk"))).status).toBe(200);
    expect((await cloud.as("GET", "/evals/greets")).body).toMatchObject({
      agent: "desk",
      manifest: { spec: { agent: "desk" } },
    });
    expect((await cloud.as("GET", "/agents/desk/release")).body).toMatchObject({ accepted: true });
    expect((await cloud.as("POST", "/agents/desk/deploy")).status).toBe(200);
    await cloud.as("POST", "/agents", draft("support"));
    expect(await cloud.as("POST", "/agents/support/deploy")).toMatchObject({
      status: 422,
      body: { error: "release_refused" },
    });
  });

  test("with a gate is renamed by owners and admins alone (403), also to a name that has one", async () => {
    await using cloud = await cloudWithEvals(engine);
    const bob = await cloud.login("bob@example.com");
    await cloud.as("POST", "/members/invite", { email: "bob@example.com", role: "member" });
    const { body } = await cloud.call("GET", "/invitations", { headers: bob.headers });
    await cloud.call("POST", `/invitations/${body.invitations[0].id}/accept`, { headers: bob.headers });
    for (const name of ["gated", "free"]) await cloud.as("POST", "/agents", draft(name));
    await cloud.as("PUT", "/agents/gated/release", { requires: [{ eval: "greets" }] });
    const asBob = (from: string, to: string) => cloud.as("POST", `/agents/${from}/rename`, rename(to), bob);
    expect((await asBob("gated", "loose")).status).toBe(403);
    await cloud.as("DELETE", "/agents/gated");
    expect((await asBob("free", "gated")).status).toBe(403);
    expect((await asBob("free", "other")).status).toBe(200);
    expect((await cloud.as("POST", "/agents/other/rename", rename("gated"))).status).toBe(200);
    expect((await cloud.as("GET", "/agents/gated/release")).body.requires).toMatchObject([
      { eval: "greets" },
    ]);
  });
});
