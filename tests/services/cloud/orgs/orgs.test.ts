import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { dropLateRows } from "../../../../src/services/cloud/orgs/delete-org.ts";
import { deploy, startCloud } from "../../../support/cloud.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("orgs", (engine) => {
  test("are created with the caller as owner; an invalid name is 400, and no slug is used twice", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const { headers } = ada;
    const create = (display_name: string) => cloud.call("POST", "/orgs", { headers, body: { display_name } });
    const made = await create(" Acme Ltd ");
    expect(made).toMatchObject({
      status: 201,
      body: { slug: "acme-ltd", display_name: "Acme Ltd", plan: "free" },
    });
    const list = async () =>
      (await cloud.call("GET", "/orgs/me?all=true", { headers })).body.orgs.map(
        ({ slug, role }: { slug: string; role: string }) => `${slug} ${role}`,
      );
    expect(await list()).toEqual(["ada owner", "acme-ltd owner"]);
    expect((await cloud.call("DELETE", "/orgs/acme-ltd", { headers })).status).toBe(204);
    expect(await list()).toEqual(["ada owner"]);
    expect((await create("Acme, Ltd")).body.slug).toBe("acme-ltd-2");
    for (const name of ["", "  ", "a\nb", "x".repeat(256)]) expect((await create(name)).status).toBe(400);
    expect((await create("日本@")).status).toBe(201);
  });

  test("five a person, those deleted in the month included; the sixth is 409, also by signing in anew", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const { headers } = ada;
    const create = () => cloud.call("POST", "/orgs", { headers, body: { display_name: "More" } });
    for (let number = 0; number < 4; number++) {
      const { slug } = (await create()).body;
      expect((await cloud.call("DELETE", `/orgs/${slug}`, { headers })).status).toBe(204);
    }
    expect(await create()).toMatchObject({ status: 409, body: { error: "org_limit_reached" } });
    expect((await cloud.call("DELETE", ada.org, { headers })).status).toBe(204);
    expect((await cloud.login("ada@example.com")).slug).toBe("");
    expect((await cloud.call("GET", "/orgs/me", { headers })).status).toBe(404);
    // The next month begins.
    await cloud.clock.advance(22 * 86_400_000);
    expect((await cloud.login("ada@example.com")).slug).toBe("ada-2");
  });

  test("are deleted with every row that they have, by owners; afterwards they are 403", async () => {
    await using cloud = await startCloud(engine);
    const [ada, eve] = [await cloud.login("ada@example.com"), await cloud.login("eve@example.com")];
    const { headers } = ada;
    const ask = (method: string, path: string, body?: unknown) =>
      cloud.call(method, `${ada.org}${path}`, { headers, ...(body === undefined ? {} : { body }) });
    const path = await deploy(cloud, ada);
    await deploy(cloud, eve);
    const key = await ask("POST", "/keys", { name: "ci" });
    await ask("POST", "/providers", { provider: "openai", api_key: "sk-0123456789abcdef" });
    await ask("PUT", "/evals/smoke", evalOf("smoke", ["hello"], { agent: "helper" }));
    await ask("POST", "/evals/smoke/runs", {});
    await ask("POST", "/agents/helper/run", { query: "hi" });
    await cloud.call("POST", `${path}/stream-ticket`, { headers });
    const invited = await ask("POST", "/members/invite", { email: "bob@example.com", role: "admin" });
    const bob = await cloud.login("bob@example.com");
    await cloud.call("POST", `/invitations/${invited.body.id}/accept`, { headers: bob.headers });
    await cloud.deps.runUsage.flush();
    const { storage } = cloud.deps;
    const [org] = await storage.read
      .select()
      .from(storage.tables.orgs)
      .where(eq(storage.tables.orgs.slug, ada.slug));
    const holders = async () => {
      const found: string[] = [];
      for (const [name, table] of Object.entries(storage.tables)) {
        const rows = (await storage.read.select().from(table)) as object[];
        if (rows.some((row) => JSON.stringify(row).includes(org?.id ?? "none"))) found.push(name);
      }
      return found.sort();
    };
    expect(await holders()).toEqual(
      [
        "agentUsage",
        "agents",
        "apiKeys",
        "audit",
        "dailyCounters",
        "evalRuns",
        "evals",
        "members",
        "orgs",
        "providerKeys",
        "storedBytes",
        "streamTickets",
        "usageCosts",
      ].sort(),
    );
    for (const [stranger, status] of [
      [bob.headers, 403],
      [eve.headers, 403],
      [{ "x-api-key": key.body.secret }, 403],
      [{}, 401],
    ] as const)
      expect((await cloud.call("DELETE", ada.org, { headers: stranger })).status).toBe(status);
    expect((await ask("DELETE", "")).status).toBe(204);
    expect(await holders()).toEqual(["audit", "retiredOrgs"]);
    expect(cloud.runtime.forgotten).toMatchObject([{ name: "ada__helper" }]);
    for (const sent of [headers, bob.headers])
      expect((await cloud.call("GET", `${ada.org}/agents`, { headers: sent })).status).toBe(403);
    expect((await cloud.call("GET", "/orgs/me", { headers: { "x-api-key": key.body.secret } })).status).toBe(
      401,
    );
    expect((await cloud.call("GET", `${eve.org}/agents/helper`, { headers: eve.headers })).status).toBe(200);
    // A run that ended later.
    const place = { orgId: org?.id ?? "", day: "2026-03-10", agent: "helper" };
    cloud.deps.runUsage.add(place, "machine", ended().usage);
    await cloud.deps.runUsage.flush();
    expect(await holders()).toContain("agentUsage");
    await dropLateRows(cloud.deps);
    expect(await holders()).toEqual(["audit", "retiredOrgs"]);
  });

  test("are deleted while the runtime is away; the memory of their agents goes later", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    await deploy(cloud, ada);
    const { deregister } = cloud.runtime;
    cloud.runtime.deregister = () => Promise.reject(new Error("away"));
    expect((await cloud.call("DELETE", ada.org, { headers: ada.headers })).status).toBe(204);
    cloud.runtime.deregister = deregister;
    const { retiredAgents } = cloud.deps.storage.tables;
    expect(await cloud.deps.storage.read.select().from(retiredAgents)).toHaveLength(1);
  });
});
