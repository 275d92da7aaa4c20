import { expect, test } from "bun:test";
import { startCloud, type TestCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the own account of the cloud", (engine) => {
  const statusOf = async (cloud: TestCloud, headers: Record<string, string>) =>
    (await cloud.call("GET", "/me", { headers })).status;

  test("lists sessions and ends others, one by its id, and nobody else's (404)", async () => {
    await using cloud = await startCloud(engine);
    const [first, second, third] = [
      await cloud.login("ada@example.com"),
      await cloud.login("ada@example.com"),
      await cloud.login("ada@example.com"),
    ];
    const eve = await cloud.login("eve@example.com");
    const list = async () =>
      (await cloud.call("GET", "/me/sessions", { headers: first.headers })).body.sessions as {
        id: string;
        current: boolean;
      }[];
    const sessions = await list();
    expect(sessions).toHaveLength(3);
    const other = sessions.find(({ current }) => !current)?.id;
    const end = (headers: Record<string, string>, id: string | undefined) =>
      cloud.call("DELETE", `/me/sessions/${id}`, { headers });
    expect((await end(eve.headers, other)).status).toBe(404);
    expect((await end(first.headers, other)).status).toBe(204);
    expect(await list()).toHaveLength(2);
    expect((await cloud.call("DELETE", "/me/sessions", { headers: first.headers })).status).toBe(204);
    expect(await list()).toMatchObject([{ current: true }]);
    for (const { headers } of [second, third]) expect(await statusOf(cloud, headers)).toBe(401);
    expect(await statusOf(cloud, first.headers)).toBe(200);
    expect(await statusOf(cloud, eve.headers)).toBe(200);
  });

  test("is deleted with its keys and memberships once no org depends on it (409 before)", async () => {
    await using cloud = await startCloud(engine);
    const [ada, bob] = [await cloud.login("ada@example.com"), await cloud.login("bob@example.com")];
    // Bob joins Ada's org, and makes a key there.
    const invite = { email: "bob@example.com", role: "admin" };
    await cloud.call("POST", `${ada.org}/members/invite`, { headers: ada.headers, body: invite });
    const [invitation] = (await cloud.call("GET", "/invitations", { headers: bob.headers })).body.invitations;
    await cloud.call("POST", `/invitations/${invitation.id}/accept`, { headers: bob.headers });
    const key = await cloud.call("POST", `${ada.org}/keys`, {
      headers: bob.headers,
      body: { name: "bob's" },
    });
    const asKey = { "x-api-key": key.body.secret };
    const deleteBob = () => cloud.call("DELETE", "/me", { headers: bob.headers });
    expect(await deleteBob()).toMatchObject({ status: 409, body: { error: "last_owner" } });
    expect((await cloud.call("GET", `${ada.org}/agents`, { headers: asKey })).status).toBe(200);
    expect((await cloud.call("DELETE", bob.org, { headers: bob.headers })).status).toBe(204);
    expect((await deleteBob()).status).toBe(204);
    expect(await statusOf(cloud, bob.headers)).toBe(401);
    const refresh = { refresh_token: bob.refreshToken };
    expect((await cloud.call("POST", "/auth/refresh", { body: refresh })).status).toBe(401);
    expect((await cloud.call("GET", `${ada.org}/agents`, { headers: asKey })).status).toBe(401);
    const { members } = (await cloud.call("GET", `${ada.org}/members`, { headers: ada.headers })).body;
    expect(members.map(({ email }: { email: string }) => email)).toEqual(["ada@example.com"]);
    const { entries } = (await cloud.call("GET", `${ada.org}/audit`, { headers: ada.headers })).body;
    expect(entries[0]).toMatchObject({ action: "member.leave", detail: { email: "bob@example.com" } });
    // The address is free for another account, which has nothing of the former one.
    const again = await cloud.login("bob@example.com");
    const { orgs } = (await cloud.call("GET", "/orgs/me?all=true", { headers: again.headers })).body;
    expect(orgs).toHaveLength(1);
    const { users } = cloud.deps.storage.tables;
    const rows = await cloud.deps.storage.read.select().from(users);
    expect(rows.filter(({ name }) => name === "Deleted account")).toHaveLength(1);
  });

  test("is 401 without a token and 403 for an API key", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const key = await cloud.call("POST", `${ada.org}/keys`, { headers: ada.headers, body: { name: "ci" } });
    for (const [method, path] of [
      ["GET", "/me"],
      ["GET", "/me/sessions"],
      ["DELETE", "/me/sessions"],
      ["DELETE", "/me/sessions/x"],
      ["DELETE", "/me"],
    ] as const) {
      expect((await cloud.call(method, path)).status).toBe(401);
      const asKey = { "x-api-key": key.body.secret };
      expect((await cloud.call(method, path, { headers: asKey })).status).toBe(403);
    }
    expect(await statusOf(cloud, ada.headers)).toBe(200);
  });
});
