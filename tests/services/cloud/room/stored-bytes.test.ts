import { expect, test } from "bun:test";
import { noteOwnersElsewhere } from "../../../../src/control-plane/room/note-elsewhere.ts";
import { newId } from "../../../../src/kit/id.ts";
import { builtinPlans } from "../../../../src/services/cloud/access/plans.ts";
import { draft, startCloud } from "../../../support/cloud.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the stored bytes of an org", (engine) => {
  test("beyond its plan refuse what stores more with 409 `storage_limit_reached`; reading and deleting continue", async () => {
    const small = { max_agents: 5, requests_per_day: 1000, max_members: 3, max_storage_bytes: 2 ** 20 };
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      plans: new Map([...builtinPlans, ["free", small]]),
    }));
    const owner = await cloud.login("ada@example.com");
    const as = (method: string, path: string, body?: unknown) =>
      cloud.call(method, `${owner.org}${path}`, {
        headers: owner.headers,
        ...(body !== undefined && { body }),
      });
    expect((await as("POST", "/agents", draft("helper"))).status).toBe(201);
    expect((await as("POST", "/agents/helper/deploy")).status).toBe(200);
    expect((await as("PUT", "/evals/greets", evalOf("greets", ["hi"], { agent: "helper" }))).status).toBe(
      200,
    );
    cloud.runtime.stored = async (owners) =>
      owners.map((owner_id) => ({ owner_id, area: "memory", bytes: 2 ** 20 }));
    await noteOwnersElsewhere(cloud.deps, { owners: cloud.deps.storage.tables.orgs }, [
      { service: "daemon", held: (ids) => cloud.deps.runtime.stored(ids) },
    ]);
    const ways: [string, string, unknown?][] = [
      ["POST", "/agents", draft("other")],
      ["POST", "/agents/helper/run", { query: "Hi" }],
      ["POST", "/agents/helper/test", { query: "Hi" }],
      ["PUT", "/evals/more", evalOf("more", ["hi"])],
      ["POST", "/evals/greets/runs", {}],
      ["POST", "/keys", { name: "ci" }],
      ["POST", "/members/invite", { email: "bob@example.com", role: "member" }],
    ];
    for (const [method, path, body] of ways) {
      const refused = await as(method, path, body);
      expect([method, path, refused.status, refused.body.error]).toEqual([
        method,
        path,
        409,
        "storage_limit_reached",
      ]);
    }
    const { storage } = (await as("GET", "/usage?storage=true")).body;
    expect(storage.limit_bytes).toBe(2 ** 20);
    expect(storage.areas[0]).toEqual({ area: "memory", bytes: 2 ** 20 });
    expect(storage.areas.map(({ area }: { area: string }) => area)).toEqual(
      expect.arrayContaining(["agents", "evals", "audit", "members"]),
    );
    expect((await as("POST", "/agents/helper/pause")).status).toBe(200);
    expect((await as("POST", `/eval-runs/${newId()}/cancel`)).status).toBe(404);
    expect((await as("DELETE", "/evals/greets")).status).toBe(204);
    expect((await as("DELETE", "/agents/helper")).status).toBe(204);
  });
});
