import { expect, test } from "bun:test";
import { deploy, startCloud } from "../../support/cloud.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

/** Bodies by the end of a path, valid wherever the route needs one. */
const bodies: Readonly<Record<string, object>> = {
  "PATCH /:slug": { display_name: "Taken" },
  "POST /members/invite": { email: "eve@example.com", role: "member" },
  "POST /keys": { name: "stolen" },
  "POST /providers": { provider: "openai", api_key: "sk-0123456789abcdef" },
  "POST /agents": { name: "eve", display_name: "Eve" },
  "PUT /agents/:name": { display_name: "Eve" },
  "POST /agents/:name/run": { query: "hi" },
  "POST /agents/:name/test": { query: "hi" },
};

const bodyOf = (method: string, path: string) =>
  Object.entries(bodies).find(([route]) => {
    const [wanted, end = ""] = route.split(" ");
    return wanted === method && path.replace("/api/v1/orgs", "").replace(/^\/:slug(?=\/)/, "") === end;
  })?.[1];

onEachEngine("isolation of orgs", (engine) => {
  test("every route of an org refuses other orgs' credentials with 403, and none with 401", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const eve = await cloud.login("eve@example.com");
    await deploy(cloud, ada);
    await deploy(cloud, eve);
    const newKey = async (person: typeof ada) =>
      (await cloud.call("POST", `${person.org}/keys`, { headers: person.headers, body: { name: "k" } })).body;
    const [adasKey, evesKey, revoked] = [await newKey(ada), await newKey(eve), await newKey(ada)];
    await cloud.call("DELETE", `${ada.org}/keys/${revoked.id}`, { headers: ada.headers });
    const callers: readonly (readonly [string, Record<string, string>, number])[] = [
      ["another org's person", eve.headers, 403],
      ["another org's key", { "x-api-key": evesKey.secret }, 403],
      ["a revoked key", { "x-api-key": revoked.secret }, 401],
      ["two credentials", { ...ada.headers, "x-api-key": adasKey.secret }, 401],
      ["an unknown key", { "x-api-key": "ask-unknown" }, 401],
      ["no credential", {}, 401],
    ];
    const routes = cloud.routes.filter(({ path }) => path.includes("/:slug"));
    expect(routes.length).toBeGreaterThanOrEqual(24);
    const rowsOf = async () => {
      const { read, tables } = cloud.deps.storage;
      const { agents, apiKeys, members, orgs, providerKeys, dailyCounters } = tables;
      const all = [agents, apiKeys, members, orgs, providerKeys, dailyCounters];
      return JSON.stringify(await Promise.all(all.map((table) => read.select().from(table))));
    };
    const before = await rowsOf();
    for (const { method, path } of routes) {
      for (const [who, headers, status] of callers) {
        for (const slug of status === 403 ? [ada.slug, "no-such-org"] : [ada.slug]) {
          const place = path
            .replace("/api/v1", "")
            .replace(":slug", slug)
            .replace(":name", "helper")
            .replace(":keyId", adasKey.id)
            .replace(/:\w+/, "openai");
          const body = bodyOf(method, path);
          const answer = await cloud.call(method, place, {
            headers,
            ...(body === undefined ? {} : { body }),
          });
          expect([method, place, who, answer.status]).toEqual([method, place, who, status]);
          expect(answer.body.status).toBe(status);
        }
      }
    }
    expect(await rowsOf()).toBe(before);
    expect(cloud.runtime.runs).toEqual([]);
  });

  test("equal names and sessions of two orgs are different agents", async () => {
    await using cloud = await startCloud(engine);
    const people = [await cloud.login("ada@example.com"), await cloud.login("eve@example.com")];
    for (const person of people) {
      const path = await deploy(cloud, person);
      const body = { query: "hi", session_id: "s" };
      expect((await cloud.call("POST", `${path}/run`, { headers: person.headers, body })).status).toBe(200);
    }
    const [ada, eve] = ["ada__helper", "eve__helper"].map((name) => cloud.runtime.agents.get(name));
    expect(cloud.runtime.runs.map(({ name }) => name)).toEqual(["ada__helper", "eve__helper"]);
    expect(ada?.tenant_id).not.toBe(eve?.tenant_id);
    expect(ada?.agent_id).not.toBe(eve?.agent_id);
    expect([ada?.keys, eve?.keys]).toEqual(["own", "own"]);
  });
});
