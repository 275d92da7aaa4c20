import { expect, test } from "bun:test";
import { type CloudPerson, deploy, draft, startCloud, type TestCloud } from "../../support/cloud.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const refusal = (status: number, error: string) => ({ status, body: { error, status } });

/** Signs in a person and makes an API key of the org. */
async function withKey(cloud: TestCloud): Promise<{ ada: CloudPerson; asKey: Record<string, string> }> {
  const ada = await cloud.login("ada@example.com");
  const { body } = await cloud.call("POST", `${ada.org}/keys`, {
    headers: ada.headers,
    body: { name: "ci" },
  });
  return { ada, asKey: { "x-api-key": body.secret } };
}

onEachEngine("the cloud's contract", (engine) => {
  test("signs in, refreshes with rotation and logs out", async () => {
    await using cloud = await startCloud(engine);
    const body = { email: "Ada.Lovelace@example.com", name: "Ada" };
    const first = await cloud.call("POST", "/auth/dev/login", { body });
    expect(first).toMatchObject({
      status: 200,
      body: { token_type: "bearer", expires_in: 86_400, org_slug: "ada-lovelace" },
    });
    const { refresh_token } = first.body;
    const next = await cloud.call("POST", "/auth/refresh", { body: { refresh_token } });
    expect(next.status).toBe(200);
    expect(next.body.refresh_token).not.toBe(refresh_token);
    // The answer may have been lost: within 60 s the token gives the same successor again.
    expect((await cloud.call("POST", "/auth/refresh", { body: { refresh_token } })).body.refresh_token).toBe(
      next.body.refresh_token,
    );
    const headers = { authorization: `Bearer ${next.body.access_token}` };
    expect((await cloud.call("GET", "/orgs/me", { headers })).status).toBe(200);
    expect((await cloud.call("POST", "/auth/logout", { headers })).status).toBe(204);
    expect(await cloud.call("GET", "/orgs/me", { headers })).toMatchObject(refusal(401, "unauthorized"));
    expect(
      await cloud.call("POST", "/auth/refresh", { body: { refresh_token: next.body.refresh_token } }),
    ).toMatchObject(refusal(401, "unauthorized"));
    for (const [path, sent] of [
      ["/auth/google", { id_token: "x" }],
      ["/auth/github", { code: "x" }],
    ] as const) {
      expect(await cloud.call("POST", path, { body: sent })).toMatchObject(refusal(501, "not_implemented"));
    }
  });

  test("the development login is 403 where it is disabled", async () => {
    await using cloud = await startCloud(engine);
    const body = { email: "ada@example.com", name: "Ada" };
    for (const headers of [{ "x-forwarded-for": "203.0.113.7" }, { host: "cloud.example.com" }]) {
      expect(await cloud.call("POST", "/auth/dev/login", { body, headers })).toMatchObject(
        refusal(403, "dev_login_disabled"),
      );
    }
  });

  test("gives each person an org with a slug of its own", async () => {
    await using cloud = await startCloud(engine);
    const [one, other, me] = [
      await cloud.login("ada@example.com"),
      await cloud.login("ada@example.org"),
      await cloud.login("me@example.org"),
    ];
    expect([one.slug, other.slug, me.slug]).toEqual(["ada", "ada-2", "me-2"]);
    expect(await cloud.call("GET", "/orgs/me", { headers: one.headers })).toMatchObject({
      status: 200,
      body: {
        slug: "ada",
        display_name: "Ada",
        plan: "free",
        limits: { max_agents: 5, requests_per_day: 1000, max_members: 3 },
      },
    });
    const renamed = { headers: one.headers, body: { display_name: "Ada's" } };
    expect((await cloud.call("PATCH", one.org, renamed)).body.display_name).toBe("Ada's");
    expect((await cloud.call("GET", "/orgs/me?all=true", { headers: one.headers })).body.orgs).toHaveLength(
      1,
    );
  });

  test("invites members up to the limit, and lets them join", async () => {
    await using cloud = await startCloud(engine);
    const { ada, asKey } = await withKey(cloud);
    const grace = await cloud.login("grace@example.com", "Grace");
    const invite = (email: string, role = "member", headers: Record<string, string> = ada.headers) =>
      cloud.call("POST", `${ada.org}/members/invite`, { headers, body: { email, role } });
    const invited = await invite("grace@example.com");
    expect(invited).toMatchObject({ status: 201, body: { status: "invited", role: "member" } });
    expect(await invite("grace@example.com")).toMatchObject(refusal(409, "already_member"));
    expect(await invite("bob@example.com", "admin", asKey)).toMatchObject(refusal(403, "jwt_required"));
    expect(await invite("bob@example.com", "member", asKey)).toMatchObject(refusal(403, "jwt_required"));
    const toBob = await invite("bob@example.com");
    expect(toBob.status).toBe(201);
    expect(await invite("carl@example.com")).toMatchObject(refusal(409, "member_limit_reached"));
    expect(await cloud.call("GET", `${ada.org}/agents`, { headers: grace.headers })).toMatchObject(
      refusal(403, "forbidden"),
    );
    const { body } = await cloud.call("GET", "/invitations", { headers: grace.headers });
    expect(body.invitations).toMatchObject([{ id: invited.body.id, org_slug: "ada", role: "member" }]);
    const path = `/invitations/${invited.body.id}/accept`;
    expect((await cloud.call("POST", path, { headers: grace.headers })).body.slug).toBe("ada");
    expect((await cloud.call("GET", `${ada.org}/agents`, { headers: grace.headers })).status).toBe(200);
    expect((await cloud.call("GET", "/orgs/me", { headers: grace.headers })).body.slug).toBe("grace");
    // A new person gets an org as well, and joins only by accepting.
    const newcomer = await cloud.login("bob@example.com", "Bob");
    expect(newcomer.slug).toBe("bob");
    expect(await cloud.call("GET", `${ada.org}/agents`, { headers: newcomer.headers })).toMatchObject(
      refusal(403, "forbidden"),
    );
    const accepted = `/invitations/${toBob.body.id}/accept`;
    expect((await cloud.call("POST", accepted, { headers: newcomer.headers })).body.slug).toBe("ada");
    expect(
      await cloud.call("POST", `${ada.org}/keys`, { headers: grace.headers, body: { name: "mine" } }),
    ).toMatchObject(refusal(403, "forbidden"));
    const members = (await cloud.call("GET", `${ada.org}/members`, { headers: asKey })).body.members;
    expect(members.map(({ email, role, status }: Record<string, string>) => [email, role, status])).toEqual([
      ["ada@example.com", "owner", "active"],
      ["grace@example.com", "member", "active"],
      ["bob@example.com", "member", "active"],
    ]);
    const [owner, , bob] = members;
    const remove = (id: string) => cloud.call("DELETE", `${ada.org}/members/${id}`, { headers: ada.headers });
    expect(await remove(owner.id)).toMatchObject(refusal(409, "last_owner"));
    expect((await remove(bob.id)).status).toBe(204);
    expect((await cloud.login("bob@example.com", "Bob")).slug).toBe("bob");
  });

  test("shows the secret of a key once, and stops a revoked key", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const created = await cloud.call("POST", `${ada.org}/keys`, {
      headers: ada.headers,
      body: { name: "ci" },
    });
    expect(created.status).toBe(201);
    expect(created.body.secret).toStartWith("ask-");
    const asKey = { "x-api-key": created.body.secret };
    expect((await cloud.call("GET", "/orgs/me", { headers: asKey })).body.slug).toBe("ada");
    const list = await cloud.call("GET", `${ada.org}/keys`, { headers: asKey });
    expect(list.body.keys).toMatchObject([{ name: "ci", prefix: created.body.secret.slice(0, 12) }]);
    expect(list.text).not.toContain(created.body.secret);
    await cloud.deps.keyUses.write(cloud.deps.storage);
    const { body } = await cloud.call("GET", `${ada.org}/keys`, { headers: ada.headers });
    expect(body.keys[0].last_used_at).toBe("2026-03-10T12:00:00.000Z");
    const path = `${ada.org}/keys/${created.body.id}`;
    expect(await cloud.call("DELETE", path, { headers: asKey })).toMatchObject(refusal(403, "jwt_required"));
    expect((await cloud.call("DELETE", path, { headers: ada.headers })).status).toBe(204);
    expect(await cloud.call("DELETE", path, { headers: ada.headers })).toMatchObject(
      refusal(404, "not_found"),
    );
    expect(await cloud.call("GET", "/orgs/me", { headers: asKey })).toMatchObject(
      refusal(401, "unauthorized"),
    );
  });

  test("keeps provider keys sealed and masked", async () => {
    await using cloud = await startCloud(engine);
    const { ada, asKey } = await withKey(cloud);
    const secret = "sk-canary-0123456789abcdef";
    const body = { provider: "openai", api_key: secret };
    const save = (headers: Record<string, string>, sent: object = body) =>
      cloud.call("POST", `${ada.org}/providers`, { headers, body: sent });
    expect(await save(asKey)).toMatchObject(refusal(403, "jwt_required"));
    expect(await save(ada.headers)).toMatchObject({
      status: 200,
      body: { provider: "openai", status: "saved" },
    });
    expect(await save(ada.headers, { ...body, provider: "ollama" })).toMatchObject(
      refusal(400, "invalid_request"),
    );
    const list = await cloud.call("GET", `${ada.org}/providers`, { headers: asKey });
    expect(list.body.providers).toMatchObject([{ provider: "openai", masked_key: "••••cdef" }]);
    const { read, tables } = cloud.deps.storage;
    expect(JSON.stringify(await read.select().from(tables.providerKeys))).not.toContain(secret);
    const path = `${ada.org}/providers/openai`;
    expect((await cloud.call("DELETE", path, { headers: ada.headers })).status).toBe(204);
    expect(await cloud.call("DELETE", path, { headers: ada.headers })).toMatchObject(
      refusal(404, "not_found"),
    );
  });

  test("takes an agent through its states", async () => {
    await using cloud = await startCloud(engine);
    const { headers, org } = await cloud.login("ada@example.com");
    const call = (method: string, path: string, body?: unknown) =>
      cloud.call(method, `${org}/agents${path}`, { headers, ...(body === undefined ? {} : { body }) });
    expect(await call("POST", "", draft("helper"))).toMatchObject({
      status: 201,
      body: { status: "draft", model: "rehearsal/rehearsal", agent_id: "ada__helper" },
    });
    expect(await call("POST", "", draft("helper"))).toMatchObject(refusal(409, "agent_exists"));
    expect(await call("POST", "/helper/run", { query: "hi" })).toMatchObject(
      refusal(400, "agent_not_deployed"),
    );
    expect(await call("POST", "/helper/pause")).toMatchObject(refusal(400, "agent_not_deployed"));
    expect(await call("POST", "/helper/deploy")).toMatchObject({
      status: 200,
      body: { status: "deployed", agent_id: "ada__helper", deployed_at: "2026-03-10T12:00:00.000Z" },
    });
    expect([...cloud.runtime.agents.keys()]).toEqual(["ada__helper"]);
    expect(await call("POST", "/helper/deploy")).toMatchObject(refusal(409, "agent_already_deployed"));
    const change = { step2: { persona: "a pirate" } };
    expect(await call("PUT", "/helper", change)).toMatchObject(refusal(400, "agent_deployed"));
    expect(await call("POST", "/helper/pause")).toMatchObject({ status: 200, body: { status: "paused" } });
    expect([...cloud.runtime.agents.keys()]).toEqual([]);
    expect(cloud.runtime.forgotten).toEqual([]);
    expect(await call("POST", "/helper/pause")).toMatchObject(refusal(409, "agent_already_paused"));
    expect((await call("PUT", "/helper", change)).body).toMatchObject({
      status: "paused",
      step2: { persona: "a pirate", system_prompt: "Answer in one sentence." },
    });
    expect((await call("PUT", "/helper", { step2: { persona: null } })).body.step2).toEqual({
      system_prompt: "Answer in one sentence.",
    });
    expect(await call("PUT", "/helper", { name: "other" })).toMatchObject(refusal(400, "invalid_config"));
    expect((await call("POST", "/helper/deploy")).status).toBe(200);
    expect((await call("GET", "")).body.agents).toMatchObject([{ name: "helper", status: "deployed" }]);
    const manifest = await call("GET", "/helper/manifest");
    expect(manifest.text).toContain("kind: Agent");
    expect((await call("DELETE", "/helper")).status).toBe(204);
    expect(cloud.runtime.forgotten).toMatchObject([{ name: "ada__helper" }]);
    expect(await call("GET", "/helper")).toMatchObject(refusal(404, "not_found"));
  });

  test("tells all faults of a config at once, and what is missing at the deployment", async () => {
    await using cloud = await startCloud(engine);
    const { headers, org } = await cloud.login("ada@example.com");
    const body = {
      name: "Bad Name",
      step1: { model: "nowhere/x", colour: 1 },
      step3: { tools: ["calculator", "calculater"] },
      step4: { window_size: 0 },
      step5: {
        input_guardrails: ["content_filter", { type: "max_length", max_chars: -1 }],
        max_tokens: 40_000,
      },
    };
    const refused = await cloud.call("POST", `${org}/agents`, { headers, body });
    expect(refused).toMatchObject(refusal(400, "invalid_config"));
    expect(refused.body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      "display_name",
      "name",
      "step1.colour",
      "step1.model",
      "step3.tools[1]",
      "step4.window_size",
      "step5.input_guardrails[0]",
      "step5.input_guardrails[1].max_chars",
      "step5.max_tokens",
    ]);
    const bare = { name: "bare", display_name: "Bare" };
    expect((await cloud.call("POST", `${org}/agents`, { headers, body: bare })).status).toBe(201);
    const deployed = await cloud.call("POST", `${org}/agents/bare/deploy`, { headers });
    expect(deployed).toMatchObject(refusal(400, "invalid_config"));
    expect(deployed.body.details.map(({ path }: { path: string }) => path)).toEqual([
      "step1.model",
      "step2.system_prompt",
    ]);
    const keyed = draft("keyed", { step1: { model: "rehearsal/x", fallback_model: "groq/llama" } });
    expect((await cloud.call("POST", `${org}/agents`, { headers, body: keyed })).status).toBe(201);
    expect(await cloud.call("POST", `${org}/agents/keyed/deploy`, { headers })).toMatchObject(
      refusal(400, "provider_key_missing"),
    );
    for (const name of ["one", "two", "three"]) {
      expect((await cloud.call("POST", `${org}/agents`, { headers, body: draft(name) })).status).toBe(201);
    }
    expect(await cloud.call("POST", `${org}/agents`, { headers, body: draft("sixth") })).toMatchObject(
      refusal(409, "agent_limit_reached"),
    );
  });

  test("runs, tests and reports usage", async () => {
    await using cloud = await startCloud(engine);
    const { ada, asKey } = await withKey(cloud);
    const path = await deploy(cloud, ada);
    const body = { query: "hi", session_id: "s", context: { user: "Bo" } };
    const run = await cloud.call("POST", `${path}/run`, { headers: asKey, body });
    expect(run).toMatchObject({
      status: 200,
      body: { answer: "Hello there.", tokens_used: 120, trace_id: "t1" },
    });
    const limits = (answer: { headers: Headers }) =>
      ["limit", "remaining", "reset"].map((name) => answer.headers.get(`x-ratelimit-${name}`));
    const midnight = String(Date.parse("2026-03-11T00:00:00Z") / 1000);
    expect(limits(run)).toEqual(["1000", "999", midnight]);
    expect(cloud.runtime.runs.at(-1)?.run).toMatchObject({ session_id: "s", context: { user: "Bo" } });
    const tested = await cloud.call("POST", `${path}/test`, { headers: ada.headers, body });
    expect(limits(tested)).toEqual(["1000", "999", midnight]);
    const usage = await cloud.call("GET", `${ada.org}/usage`, { headers: asKey });
    expect(usage.body).toMatchObject({
      period_days: 30,
      total_requests: 1,
      total_tokens: 120,
      daily_limit: 1000,
      remaining_today: 999,
      by_agent: [{ agent: "helper", requests: 1, tokens: 120 }],
    });
    for (const days of ["0", "91", "x"]) {
      const { status } = await cloud.call("GET", `${ada.org}/usage?days=${days}`, { headers: asKey });
      expect(status).toBe(400);
    }
    const missing = await cloud.call("POST", `${path}/run`, { headers: asKey, body: {} });
    expect(missing).toMatchObject(refusal(400, "invalid_request"));
  });
});
