import { expect, test } from "bun:test";
import { startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the audit log of an org", (engine) => {
  test("names people, members, also those who left, and keys; never a stranger whose id an agent has", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const eve = await cloud.login("eve@example.com");
    const ask = (method: string, path: string, body?: unknown) =>
      cloud.call(method, `${ada.org}${path}`, {
        headers: ada.headers,
        ...(body === undefined ? {} : { body }),
      });
    const key = (await ask("POST", "/keys", { name: "ci" })).body;
    const gone = (await ask("POST", "/members/invite", { email: "bob@example.com", role: "member" })).body;
    await ask("DELETE", `/members/${gone.id}`);
    const stays = (await ask("POST", "/members/invite", { email: "dan@example.com", role: "member" })).body;
    await ask("PATCH", `/members/${stays.id}`, { role: "admin" });
    const { storage, newId, clock } = cloud.deps;
    const strangersAudit = (await cloud.call("GET", `${eve.org}/audit`, { headers: eve.headers })).body;
    const stranger = strangersAudit.entries[0].actor.replace("user:", "");
    const orgId = (await storage.read.select().from(storage.tables.orgs)).find(({ slug }) =>
      ada.org.endsWith(`/${slug}`),
    )?.id;
    await storage.transact((tx) =>
      tx.insert(storage.tables.audit).values({
        id: newId(),
        at: clock.now(),
        ownerId: orgId ?? "",
        actor: `key:${key.id}`,
        action: "agent.create",
        subject: stranger,
        detail: {},
        requestId: null,
      }),
    );
    const { entries } = (await ask("GET", "/audit")).body;
    const shown = entries.map((entry: Record<string, string>) => [
      entry.action,
      entry.actor_name,
      entry.subject_name,
    ]);
    expect(shown.slice(0, 6)).toEqual([
      ["agent.create", "ci", null],
      ["member.role", "ada@example.com", "dan@example.com"],
      ["member.invite", "ada@example.com", "dan@example.com"],
      ["member.remove", "ada@example.com", "bob@example.com"],
      ["member.invite", "ada@example.com", "bob@example.com"],
      ["key.create", "ada@example.com", "ci"],
    ]);
  });

  test("is filtered by action, actor and time; a time that is none and the character 0 are 400", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const { headers } = ada;
    const list = (query: string) => cloud.call("GET", `${ada.org}/audit?${query}`, { headers });
    const actions = async (query: string) =>
      (await list(query)).body.entries.map(({ action }: { action: string }) => action);
    await cloud.clock.advance(1000);
    const since = cloud.clock.now().toISOString();
    await cloud.call("POST", `${ada.org}/keys`, { headers, body: { name: "ci" } });
    const [{ actor }] = (await list("limit=1")).body.entries;
    expect(await actions("action=key.create")).toEqual(["key.create"]);
    expect(await actions(`since=${since}`)).toEqual(["key.create"]);
    expect(await actions(`until=${since}`)).toEqual(["org.create"]);
    expect(await actions(`actor=${actor}`)).toEqual(["key.create", "org.create"]);
    expect(await actions("actor=machine")).toEqual([]);
    for (const query of ["since=soon", "until=x", "action=%00", "actor=a%00"])
      expect([query, (await list(query)).status]).toEqual([query, 400]);
  });
});
