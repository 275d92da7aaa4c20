import { expect, test } from "bun:test";
import { type CloudPerson, deploy, startCloud, type TestCloud } from "../../../support/cloud.ts";
import { openRunSocket, refusedHandshake } from "../../../support/platform-stream.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;

type Role = "owner" | "admin" | "member";

interface Team {
  cloud: TestCloud;
  ada: CloudPerson;
  /** Calls a path of Ada's org as a person, or with a key. */
  as: (
    headers: Record<string, string>,
  ) => (method: string, path: string, body?: unknown) => ReturnType<TestCloud["call"]>;
  /** Lets a person join Ada's org, and returns them with the id of their membership. */
  join: (name: string, role: Role) => Promise<CloudPerson & { id: string }>;
}

async function stage(engine: TestEngine): Promise<Team> {
  const limits = { max_agents: 5, requests_per_day: 100, max_members: 4 };
  const cloud = await startCloud(engine, (deps) => ({ ...deps, plans: new Map([["free", limits]]) }));
  const ada = await cloud.login("ada@example.com");
  const as: Team["as"] = (headers) => (method, path, body) =>
    cloud.call(method, `${ada.org}${path}`, { headers, ...(body === undefined ? {} : { body }) });
  return {
    cloud,
    ada,
    as,
    async join(name, role) {
      const email = `${name}@example.com`;
      const sent = await as(ada.headers)("POST", "/members/invite", {
        email,
        role: role === "owner" ? "admin" : role,
      });
      const { id } = sent.body;
      const person = await cloud.login(email, name);
      await cloud.call("POST", `/invitations/${id}/accept`, { headers: person.headers });
      if (role === "owner") await as(ada.headers)("PATCH", `/members/${id}`, { role });
      return { ...person, id };
    },
  };
}

const adasId = async ({ as, ada }: Team): Promise<string> =>
  (await as(ada.headers)("GET", "/members")).body.members.find(
    ({ email }: { email: string }) => email === "ada@example.com",
  ).id;

onEachEngine("members of an org", (engine) => {
  test("a new person who was invited gets an org of their own, and the team is 403 until they accept", async () => {
    const team = await stage(engine);
    await using cloud = team.cloud;
    const ask = team.as(team.ada.headers);
    const invited = await ask("POST", "/members/invite", { email: "Bob@Example.com", role: "admin" });
    expect(invited).toMatchObject({ status: 201 });
    expect(invited.body).toEqual({
      id: expect.any(String),
      email: "bob@example.com",
      role: "admin",
      status: "invited",
      invited_at: "2026-03-10T12:00:00.000Z",
    });
    const bob = await cloud.login("bob@example.com", "Bob");
    expect(bob.slug).toBe("bob");
    expect((await team.as(bob.headers)("GET", "/agents")).status).toBe(403);
    const { body } = await cloud.call("GET", "/invitations", { headers: bob.headers });
    expect(body.invitations).toEqual([
      {
        id: invited.body.id,
        org_slug: "ada",
        org_name: "Ada",
        role: "admin",
        invited_at: invited.body.invited_at,
        expires_at: "2026-03-17T12:00:00.000Z",
      },
    ]);
    expect(
      (await cloud.call("POST", `/invitations/${invited.body.id}/decline`, { headers: bob.headers })).status,
    ).toBe(204);
    for (const way of ["accept", "decline"])
      expect(
        (await cloud.call("POST", `/invitations/${invited.body.id}/${way}`, { headers: bob.headers })).status,
      ).toBe(404);
    const { members } = (await ask("GET", "/members")).body;
    expect(members).toHaveLength(1);
  });

  test("an invitation expires after 7 days: it is 404, takes no place, and may be sent again", async () => {
    const team = await stage(engine);
    await using cloud = team.cloud;
    const bob = await cloud.login("bob@example.com");
    const invite = (email: string) =>
      team.as(team.ada.headers)("POST", "/members/invite", { email, role: "member" });
    const first = await invite("bob@example.com");
    for (const name of ["carl", "dora"]) expect((await invite(`${name}@example.com`)).status).toBe(201);
    expect(await invite("eve@example.com")).toMatchObject({
      status: 409,
      body: { error: "member_limit_reached" },
    });
    await cloud.clock.advance(7 * dayMs - 1);
    const login = async () => (await cloud.login("bob@example.com")).headers;
    const open = async () =>
      (await cloud.call("GET", "/invitations", { headers: await login() })).body.invitations;
    expect(await open()).toHaveLength(1);
    await cloud.clock.advance(1);
    expect(await open()).toEqual([]);
    const accept = async (id: string) =>
      (await cloud.call("POST", `/invitations/${id}/accept`, { headers: await login() })).status;
    expect(await accept(first.body.id)).toBe(404);
    const ada = await cloud.login("ada@example.com");
    const again = await cloud.call("POST", `${ada.org}/members/invite`, {
      headers: ada.headers,
      body: { email: "bob@example.com", role: "member" },
    });
    expect(again.status).toBe(201);
    expect(await accept(again.body.id)).toBe(200);
    expect(bob.slug).toBe("bob");
  });

  test("an invitation is for its address alone and accepted once, also at the same moment; otherwise 404", async () => {
    const team = await stage(engine);
    await using cloud = team.cloud;
    const { body } = await team.as(team.ada.headers)("POST", "/members/invite", {
      email: "bob@example.com",
      role: "member",
    });
    const [bob, eve] = [await cloud.login("bob@example.com"), await cloud.login("eve@example.com")];
    const accept = async ({ headers }: CloudPerson) =>
      (await cloud.call("POST", `/invitations/${body.id}/accept`, { headers })).status;
    expect(await accept(eve)).toBe(404);
    const answers = await Promise.all([accept(bob), accept(bob), accept(bob)]);
    expect(answers.sort()).toEqual([200, 404, 404]);
    expect(
      await team.as(team.ada.headers)("POST", "/members/invite", {
        email: "bob@example.com",
        role: "member",
      }),
    ).toMatchObject({ status: 409, body: { error: "already_member" } });
  });

  test("removal revokes the person's keys (401), and ends access (403), tickets and invitations", async () => {
    const team = await stage(engine);
    await using cloud = team.cloud;
    const ask = team.as(team.ada.headers);
    const path = await deploy(cloud, team.ada);
    const bob = await team.join("bob", "admin");
    const byBob = team.as(bob.headers);
    const made = await byBob("POST", "/keys", { name: "bob's" });
    const own = await ask("POST", "/keys", { name: "ada's" });
    const { keys } = (await ask("GET", "/keys")).body;
    expect(keys).toContainEqual(expect.objectContaining({ name: "bob's", created_by: "bob@example.com" }));
    await byBob("POST", "/members/invite", { email: "mallory@example.com", role: "admin" });
    const asKey = { "x-api-key": made.body.secret };
    const ticket = async (headers: Record<string, string>) =>
      (await cloud.call("POST", `${path}/stream-ticket`, { headers })).body.ticket;
    const tickets = [await ticket(bob.headers), await ticket(asKey)];
    const socket = await openRunSocket(cloud.url, `/api/v1${path}/stream?token=${bob.accessToken}`);
    expect((await ask("DELETE", `/members/${bob.id}`)).status).toBe(204);

    expect((await byBob("GET", "/agents")).status).toBe(403);
    expect((await team.as(asKey)("GET", "/agents")).status).toBe(401);
    expect((await team.as({ "x-api-key": own.body.secret })("GET", "/agents")).status).toBe(200);
    for (const [index, status] of [403, 401].entries()) {
      const opened = `/api/v1${path}/stream?ticket=${tickets[index]}`;
      expect(await refusedHandshake(cloud.url, opened)).toMatchObject({ status });
    }
    socket.send({ query: "hi" });
    expect(await socket.next()).toMatchObject({ type: "error", status: 403 });
    expect(await socket.closed).toBe(1008);
    const mallory = await cloud.login("mallory@example.com");
    expect((await cloud.call("GET", "/invitations", { headers: mallory.headers })).body.invitations).toEqual(
      [],
    );
    // Refreshing gives no way back, and the person's own org stays.
    const { body } = await cloud.call("POST", "/auth/refresh", { body: { refresh_token: bob.refreshToken } });
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await team.as(headers)("GET", "/agents")).status).toBe(403);
    expect((await cloud.call("GET", "/orgs/me", { headers })).body.slug).toBe("bob");
    const { entries } = (await ask("GET", "/audit")).body;
    expect(entries[0]).toMatchObject({ action: "member.remove", detail: { revoked_keys: [made.body.id] } });
  });

  test("keep_keys=true keeps the keys of a removed person; for a person who leaves it is 403", async () => {
    const team = await stage(engine);
    await using _ = team.cloud;
    const bob = await team.join("bob", "admin");
    const { body } = await team.as(bob.headers)("POST", "/keys", { name: "ci" });
    const reach = async () => (await team.as({ "x-api-key": body.secret })("GET", "/agents")).status;
    const remove = (headers: Record<string, string>, query: string) =>
      team.as(headers)("DELETE", `/members/${bob.id}${query}`);
    expect((await remove(bob.headers, "?keep_keys=true")).status).toBe(403);
    expect((await remove(team.ada.headers, "?keep_keys=maybe")).status).toBe(400);
    expect((await remove(team.ada.headers, "?keep_keys=true")).status).toBe(204);
    expect(await reach()).toBe(200);
    // They come back and leave by themselves.
    const again = await team.join("bob", "member");
    expect((await team.as(again.headers)("DELETE", `/members/${again.id}`)).status).toBe(204);
    expect(await reach()).toBe(401);
  });

  test("everybody may leave; the last owner is 409 last_owner until another is one", async () => {
    const team = await stage(engine);
    await using _ = team.cloud;
    const id = await adasId(team);
    const leave = () => team.as(team.ada.headers)("DELETE", `/members/${id}`);
    expect(await leave()).toMatchObject({ status: 409, body: { error: "last_owner" } });
    const demote = () => team.as(team.ada.headers)("PATCH", `/members/${id}`, { role: "admin" });
    expect(await demote()).toMatchObject({ status: 409, body: { error: "last_owner" } });
    const bob = await team.join("bob", "owner");
    expect((await leave()).status).toBe(204);
    expect((await team.as(team.ada.headers)("GET", "/agents")).status).toBe(403);
    expect((await team.as(bob.headers)("GET", "/members")).body.members).toMatchObject([{ role: "owner" }]);
  });

  test("two owners who demote each other at once leave one", async () => {
    const team = await stage(engine);
    await using _ = team.cloud;
    const [id, bob] = [await adasId(team), await team.join("bob", "owner")];
    await Promise.all([
      team.as(team.ada.headers)("PATCH", `/members/${bob.id}`, { role: "member" }),
      team.as(bob.headers)("PATCH", `/members/${id}`, { role: "member" }),
    ]);
    const { members } = (await team.as(bob.headers)("GET", "/members")).body;
    expect(members.filter(({ role }: { role: string }) => role === "owner")).toHaveLength(1);
  });

  test.each<[by: Role | "key", of: Role, to: Role, status: number]>([
    ["owner", "member", "owner", 200],
    ["owner", "admin", "member", 200],
    ["admin", "member", "admin", 200],
    ["admin", "member", "owner", 403],
    ["admin", "owner", "member", 403],
    ["member", "member", "admin", 403],
    ["key", "member", "admin", 403],
  ])("%s changes the role of %s to %s: %d", async (by, of, to, status) => {
    const team = await stage(engine);
    await using _ = team.cloud;
    const target = of === "owner" ? { id: await adasId(team) } : await team.join("target", of);
    const key = await team.as(team.ada.headers)("POST", "/keys", { name: "k" });
    const headers =
      by === "key"
        ? { "x-api-key": key.body.secret }
        : by === "owner"
          ? team.ada.headers
          : (await team.join("actor", by)).headers;
    const changed = await team.as(headers)("PATCH", `/members/${target.id}`, { role: to });
    expect(changed.status).toBe(status);
    if (status === 200) expect(changed.body).toMatchObject({ id: target.id, role: to, status: "active" });
    if (by === "key") expect(changed.body.error).toBe("jwt_required");
  });

  test("an admin who removes an owner is 403, an invitation of an owner 409; a demoted admin's invitations end", async () => {
    const team = await stage(engine);
    await using cloud = team.cloud;
    const ask = team.as(team.ada.headers);
    const bob = await team.join("bob", "admin");
    const byBob = team.as(bob.headers);
    expect((await byBob("DELETE", `/members/${await adasId(team)}`)).status).toBe(403);
    const sent = await byBob("POST", "/members/invite", { email: "carl@example.com", role: "admin" });
    expect(await ask("PATCH", `/members/${sent.body.id}`, { role: "owner" })).toMatchObject({ status: 409 });
    expect((await ask("PATCH", `/members/${bob.id}`, { role: "member" })).status).toBe(200);
    const carl = await cloud.login("carl@example.com");
    expect((await cloud.call("GET", "/invitations", { headers: carl.headers })).body.invitations).toEqual([]);
    expect((await byBob("DELETE", "/members/nobody")).status).toBe(403);
    expect((await ask("DELETE", "/members/nobody")).status).toBe(404);
    expect((await ask("PATCH", "/members/nobody", { role: "admin" })).status).toBe(404);
    expect((await ask("PATCH", `/members/${bob.id}`, { role: "king" })).status).toBe(400);
  });

  test("keys may expire; an API key manages nothing: 403 jwt_required", async () => {
    const team = await stage(engine);
    await using cloud = team.cloud;
    const ask = team.as(team.ada.headers);
    const expires_at = "2026-03-10T12:00:01.000Z";
    const { body } = await ask("POST", "/keys", { name: "brief", expires_at });
    expect(body).toMatchObject({ expires_at });
    const byKey = team.as({ "x-api-key": body.secret });
    const bob = await team.join("bob", "member");
    for (const [method, path, sent] of [
      ["POST", "/members/invite", { email: "x@example.com", role: "member" }],
      ["PATCH", `/members/${bob.id}`, { role: "admin" }],
      ["DELETE", `/members/${bob.id}`, undefined],
      ["POST", "/keys", { name: "more" }],
      ["DELETE", `/keys/${body.id}`, undefined],
      ["POST", "/providers", { provider: "openai", api_key: "sk-0123456789abcdef" }],
      ["DELETE", "/providers/openai", undefined],
      ["PATCH", "", { display_name: "Mine" }],
      ["DELETE", "", undefined],
    ] as const) {
      expect([path, await byKey(method, path, sent)]).toMatchObject([
        path,
        { status: 403, body: { error: "jwt_required" } },
      ]);
    }
    for (const wrong of ["2026-03-10T12:00:00.000Z", "2020-01-01", "soon", ""])
      expect((await ask("POST", "/keys", { name: "x", expires_at: wrong })).status).toBe(400);
    expect((await byKey("GET", "/agents")).status).toBe(200);
    await cloud.clock.advance(1000);
    expect((await byKey("GET", "/agents")).status).toBe(401);
    expect((await byKey("POST", "/agents/helper/run", { query: "hi" })).status).toBe(401);
    expect((await ask("GET", "/keys")).body.keys).toEqual([]);
  });
});
