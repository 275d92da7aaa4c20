import { expect, test } from "bun:test";
import { type CloudPerson, deploy, draft, startCloud, type TestCloud } from "../../support/cloud.ts";
import { ended } from "../../support/staged-runtime.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

/** Expected refusals by request, below an org's path. */
type Refusal = readonly [method: string, path: string, body: unknown, status: number, error: string];

const refusal = (status: number, error: string) => ({ status, body: { error, status } });

const asks =
  (cloud: TestCloud, { headers, org }: CloudPerson) =>
  (method: string, path: string, body?: unknown) =>
    cloud.call(method, `${org}${path}`, { headers, ...(body === undefined ? {} : { body }) });

const inputs: readonly Refusal[] = [
  ["PATCH", "", {}, 400, "invalid_request"],
  ["PATCH", "", { display_name: " " }, 400, "invalid_request"],
  ["PATCH", "", { display_name: "x", plan: "business" }, 400, "invalid_request"],
  ["POST", "/members/invite", { email: "nobody", role: "member" }, 400, "invalid_request"],
  ["POST", "/members/invite", { email: "b@example.com", role: "owner" }, 400, "invalid_request"],
  ["POST", "/members/invite", { email: "b@example.com" }, 400, "invalid_request"],
  ["DELETE", "/members/nobody", undefined, 404, "not_found"],
  ["POST", "/keys", {}, 400, "invalid_request"],
  ["POST", "/keys", { name: "x".repeat(101) }, 400, "invalid_request"],
  ["DELETE", "/keys/none", undefined, 404, "not_found"],
  ["POST", "/providers", { provider: "openai" }, 400, "invalid_request"],
  ["POST", "/providers", { provider: "nobody", api_key: "k" }, 400, "invalid_request"],
  ["POST", "/providers", { provider: "ollama", api_key: "k" }, 400, "invalid_request"],
  ["POST", "/providers", { provider: "openai", api_key: "two words" }, 400, "invalid_request"],
  ["DELETE", "/providers/openai", undefined, 404, "not_found"],
  ["POST", "/agents", [], 400, "invalid_request"],
  ["POST", "/agents", '{"name": "a", "name": "b"}', 400, "invalid_request"],
  ["POST", "/agents", "{", 400, "invalid_request"],
  ["POST", "/agents", draft("UPPER"), 400, "invalid_config"],
  ["POST", "/agents", draft("-edge"), 400, "invalid_config"],
  ["POST", "/agents", draft("two__parts"), 400, "invalid_config"],
  ["POST", "/agents", draft("x".repeat(64)), 400, "invalid_config"],
  ["POST", "/agents", { name: "only" }, 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step6: {} }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step1: { model: "rehearsal/" } }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step3: { tools: ["calculator", "calculator"] } }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step4: { memory_type: "short" } }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step4: { memory_strategy: "all" } }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step4: { window_size: 201 } }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step4: { window_size: 1.5 } }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step5: { max_tokens: 32_001 } }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step5: { input_guardrails: ["cost_limit"] } }), 400, "invalid_config"],
  ["POST", "/agents", draft("a", { step5: { output_guardrails: ["max_length"] } }), 400, "invalid_config"],
  ["PUT", "/agents/helper", { name: "other" }, 400, "agent_deployed"],
  ["POST", "/agents/helper/run", {}, 400, "invalid_request"],
  ["POST", "/agents/helper/run", { query: "" }, 400, "invalid_request"],
  ["POST", "/agents/helper/run", { query: "x", session_id: "" }, 400, "invalid_request"],
  ["POST", "/agents/helper/run", { query: "x", session_id: "a\u0001" }, 400, "invalid_request"],
  ["POST", "/agents/helper/run", { query: "x", context: { _tenant: 1 } }, 400, "invalid_request"],
  [
    "POST",
    "/agents/helper/run",
    { query: "x", context: { a: "y".repeat(65 * 1024) } },
    400,
    "invalid_request",
  ],
  ["POST", "/agents/helper/run", { query: "x", model: "y" }, 400, "invalid_request"],
  ["POST", "/agents/helper/test", {}, 400, "invalid_request"],
  ["GET", "/usage?days=0", undefined, 400, "invalid_request"],
  ["GET", "/usage?days=91", undefined, 400, "invalid_request"],
  ["GET", "/usage?days=1.5", undefined, 400, "invalid_request"],
  ["GET", "/audit?limit=0", undefined, 400, "invalid_request"],
  ["GET", "/audit?cursor=x", undefined, 400, "invalid_request"],
  ["GET", "/nothing", undefined, 404, "not_found"],
  ["PUT", "/keys", {}, 405, "method_not_allowed"],
  ["DELETE", "/usage", undefined, 405, "method_not_allowed"],
];

onEachEngine("every line of the contract", (engine) => {
  test("each invalid request has its status, its code and the three fields", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    await deploy(cloud, ada);
    const call = asks(cloud, ada);
    for (const [method, path, body, status, error] of inputs) {
      const answer = await call(method, path, body);
      expect([method, path, body, answer.status, answer.body.error]).toEqual([
        method,
        path,
        body,
        status,
        error,
      ]);
      expect(answer.body).toMatchObject({ status, message: expect.any(String) });
      if (status === 405) expect(answer.headers.get("allow")).toBeTruthy();
      if (error === "invalid_config") expect(answer.body.details.length).toBeGreaterThan(0);
    }
    const large = await call("POST", "/agents/helper/run", { query: "x".repeat(1024 * 1024) });
    expect(large).toMatchObject(refusal(413, "body_too_large"));
  });

  test("every route of an agent answers 404 when there is none", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const paths = ["", "/manifest", "/deploy", "/pause", "/run", "/test", "/stream-ticket"];
    for (const path of paths) {
      const method = path === "" || path === "/manifest" ? "GET" : "POST";
      const body = path === "/run" || path === "/test" ? { query: "x" } : undefined;
      expect(await asks(cloud, ada)(method, `/agents/none${path}`, body)).toMatchObject(
        refusal(404, "not_found"),
      );
    }
    expect(await asks(cloud, ada)("PUT", "/agents/none", {})).toMatchObject(refusal(404, "not_found"));
    expect(await asks(cloud, ada)("DELETE", "/agents/none")).toMatchObject(refusal(404, "not_found"));
  });

  test("lists exactly the documented fields, newest first, and reads a paused agent whole", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const call = asks(cloud, ada);
    const steps = {
      step1: { model: "rehearsal/rehearsal", fallback_model: "ollama/llama3" },
      step2: { system_prompt: "Hello {{ context.name }}.", persona: "a pirate" },
      step3: { tools: ["calculator"] },
      step4: { memory_type: "semantic", memory_strategy: "summary", window_size: 7 },
      step5: {
        input_guardrails: ["pii_filter"],
        output_guardrails: [{ type: "cost_limit", max_tokens_per_turn: 9 }],
        max_tokens: 99,
      },
    };
    await deploy(cloud, ada, draft("first", steps));
    await cloud.clock.advance(1);
    await call("POST", "/agents", { name: "second", display_name: "Second" });
    await call("POST", "/agents/first/pause");
    expect((await call("GET", "/agents")).body).toEqual({
      agents: [
        {
          name: "second",
          display_name: "Second",
          status: "draft",
          model: null,
          created_at: "2026-03-10T12:00:00.001Z",
        },
        {
          name: "first",
          display_name: "The first",
          status: "paused",
          model: "rehearsal/rehearsal",
          created_at: "2026-03-10T12:00:00.000Z",
        },
      ],
    });
    expect((await call("GET", "/agents/first")).body).toMatchObject({ status: "paused", ...steps });
    const changed = await call("PUT", "/agents/first", { step3: null, step5: { max_tokens: null } });
    expect(changed.body.step3).toBeUndefined();
    expect(changed.body.step5).toEqual({
      input_guardrails: ["pii_filter"],
      output_guardrails: [{ type: "cost_limit", max_tokens_per_turn: 9 }],
    });
  });

  test("an update tells faults of its shape and of the merged config at once", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const call = asks(cloud, ada);
    await call("POST", "/agents", draft("helper"));
    const change = { name: "x", step1: { model: "nowhere/x" }, step2: "brief", step4: { window_size: 0 } };
    const refused = await call("PUT", "/agents/helper", change);
    expect(refused).toMatchObject(refusal(400, "invalid_config"));
    expect(refused.body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      "name",
      "step1.model",
      "step2",
      "step4.window_size",
    ]);
    expect((await call("GET", "/agents/helper")).body).toMatchObject(draft("helper"));
  });

  test("deletes an agent in any state, and takes a deployed one out of the runtime", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const call = asks(cloud, ada);
    await call("POST", "/agents", draft("new"));
    await deploy(cloud, ada, draft("live"));
    await deploy(cloud, ada, draft("resting"));
    await call("POST", "/agents/resting/pause");
    for (const name of ["new", "live", "resting"]) {
      expect((await call("DELETE", `/agents/${name}`)).status).toBe(204);
      expect((await call("GET", `/agents/${name}`)).status).toBe(404);
    }
    expect([...cloud.runtime.agents.keys()]).toEqual([]);
    expect(cloud.runtime.forgotten.map(({ name }) => name)).toEqual([
      "ada__new",
      "ada__live",
      "ada__resting",
    ]);
  });

  test("runs, tests and streams of an agent that is not deployed are 400", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const call = asks(cloud, ada);
    await call("POST", "/agents", draft("helper"));
    const tries = async () => [
      await call("POST", "/agents/helper/run", { query: "x" }),
      await call("POST", "/agents/helper/test", { query: "x" }),
      await call("GET", "/agents/helper/stream"),
    ];
    for (const answer of await tries()) expect(answer).toMatchObject(refusal(400, "agent_not_deployed"));
    await call("POST", "/agents/helper/deploy");
    await call("POST", "/agents/helper/pause");
    for (const answer of await tries()) expect(answer).toMatchObject(refusal(400, "agent_not_deployed"));
    expect(cloud.runtime.runs).toEqual([]);
  });

  test("an agent whose provider key is deleted fails at execution, and its org pays nothing for another's key", async () => {
    await using cloud = await startCloud(engine);
    const [ada, eve] = [await cloud.login("ada@example.com"), await cloud.login("eve@example.com")];
    const save = (person: CloudPerson, api_key: string) =>
      asks(cloud, person)("POST", "/providers", { provider: "openai", api_key });
    await save(ada, "sk-of-ada-0123456789");
    await save(eve, "sk-of-eve-0123456789");
    const config = draft("helper", { step1: { model: "openai/gpt", fallback_model: "rehearsal/x" } });
    const path = await deploy(cloud, ada, config);
    const run = () => cloud.call("POST", `${path}/run`, { headers: ada.headers, body: { query: "hi" } });
    expect((await run()).status).toBe(200);
    expect(cloud.runtime.runs.at(-1)?.run.provider_keys).toEqual({ openai: "sk-of-ada-0123456789" });
    await asks(cloud, ada)("DELETE", "/providers/openai");
    expect(await run()).toMatchObject(refusal(400, "provider_key_missing"));
    expect(cloud.runtime.runs).toHaveLength(1);
    expect((await asks(cloud, ada)("GET", "/usage")).body.total_requests).toBe(1);
  });

  test("blocked and failed runs count in the limit and the usage; a run that a guardrail blocks is 422", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const { usage } = ended();
    cloud.runtime.plays(async function* () {
      const error = { code: "guardrail_blocked", message: "The input was blocked.", status: 422 };
      yield ended({ outcome: "error", error, usage });
    });
    const run = (body: unknown) => cloud.call("POST", `${path}/run`, { headers: ada.headers, body });
    const blocked = await run({ query: "hi" });
    expect(blocked).toMatchObject(refusal(422, "guardrail_blocked"));
    expect(blocked.headers.get("x-ratelimit-remaining")).toBe("999");
    const refused = await run({ query: "hi", context: { _x: 1 } });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("999");
    expect((await asks(cloud, ada)("GET", "/usage")).body).toMatchObject({
      total_requests: 1,
      total_tokens: 120,
    });
  });

  test("the usage window is UTC days, 30 by default and 90 at most", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const key = (await asks(cloud, ada)("POST", "/keys", { name: "k" })).body.secret;
    const headers = { "x-api-key": key };
    const run = () => cloud.call("POST", `${path}/run`, { headers, body: { query: "hi" } });
    const total = async (query: string) =>
      (await cloud.call("GET", `${ada.org}/usage${query}`, { headers })).body.total_requests;
    await run();
    await cloud.clock.advance(29 * 86_400_000);
    await run();
    expect([
      await total(""),
      await total("?days=1"),
      await total("?days=29"),
      await total("?days=30"),
    ]).toEqual([2, 1, 1, 2]);
    await cloud.clock.advance(60 * 86_400_000);
    expect([await total(""), await total("?days=90"), await total("?days=61")]).toEqual([0, 2, 1]);
  });

  test("streams a run over HTTP as server-sent events with the limit's headers", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const headers = { ...ada.headers, accept: "text/event-stream" };
    const streamed = await cloud.call("POST", `${path}/run`, { headers, body: { query: "hi" } });
    expect(streamed.headers.get("content-type")).toBe("text/event-stream");
    expect(streamed.headers.get("x-ratelimit-remaining")).toBe("999");
    const frames = streamed.text
      .split("\n\n")
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.replace(/^data: /, "")));
    expect(frames).toMatchObject([
      { type: "token", content: "Hello there." },
      { type: "done", answer: "Hello there.", tokens_used: 120, trace_id: "t1" },
    ]);
    const refused = await cloud.call("POST", `${path}/run`, { headers, body: {} });
    expect(refused).toMatchObject(refusal(400, "invalid_request"));
  });

  test("changes are in the audit log, without secrets, for owners and admins", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const call = asks(cloud, ada);
    const path = await deploy(cloud, ada);
    await call("PATCH", "", { display_name: "Ada Ltd" });
    const key = (await call("POST", "/keys", { name: "ci" })).body;
    await cloud.call("POST", `${path}/pause`, { headers: { "x-api-key": key.secret } });
    await call("PUT", "/agents/helper", { step2: { persona: "x" } });
    await call("POST", "/providers", { provider: "openai", api_key: "sk-canary-0123456789" });
    await call("DELETE", "/providers/openai");
    await call("DELETE", `/keys/${key.id}`);
    const { id } = (await call("POST", "/members/invite", { email: "bob@example.com", role: "member" })).body;
    const bob = await cloud.login("bob@example.com");
    await cloud.call("POST", `/invitations/${id}/accept`, { headers: bob.headers });
    await call("DELETE", `/members/${id}`);
    await call("DELETE", "/agents/helper");
    // A refused change leaves no entry.
    await call("DELETE", "/agents/helper");
    const first = await call("GET", "/audit?limit=8");
    const second = await call("GET", `/audit?limit=8&cursor=${first.body.next_cursor}`);
    const entries = [...first.body.entries, ...second.body.entries];
    expect(second.body.next_cursor).toBeUndefined();
    expect(entries.map(({ action }) => action)).toEqual([
      "agent.delete",
      "member.remove",
      "member.join",
      "member.invite",
      "key.revoke",
      "provider.delete",
      "provider.save",
      "agent.update",
      "agent.pause",
      "key.create",
      "org.rename",
      "agent.deploy",
      "agent.create",
      "org.create",
    ]);
    expect(entries[8].actor).toBe(`key:${key.id}`);
    expect(entries[0]).toMatchObject({
      actor: expect.stringMatching(/^user:/),
      subject: "helper",
      request_id: expect.any(String),
    });
    expect(first.text + second.text).not.toMatch(/sk-canary|ask-/);
  });

  test("no table has a provider key, an API key, a token or a state in clear after every route was used", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const call = asks(cloud, ada);
    const secret = "sk-canary-0123456789abcdef";
    await call("POST", "/providers", { provider: "openai", api_key: secret });
    const key = (await call("POST", "/keys", { name: "ci" })).body.secret;
    const path = await deploy(cloud, ada, draft("helper", { step1: { model: "openai/gpt" } }));
    for (const way of ["run", "test"])
      await cloud.call("POST", `${path}/${way}`, { headers: { "x-api-key": key }, body: { query: "hi" } });
    await call("POST", "/agents/helper/stream-ticket");
    await call("GET", "/providers");
    await call("GET", "/agents/helper/manifest");
    await call("POST", "/agents/helper/pause");
    await call("PUT", "/agents/helper", { step2: { persona: "x" } });
    await call("POST", "/agents/helper/deploy");
    await cloud.deps.keyUses.write(cloud.deps.storage);
    const { read, tables } = cloud.deps.storage;
    const texts: string[] = [];
    for (const table of Object.values(tables)) texts.push(JSON.stringify(await read.select().from(table)));
    const stored = texts.join("\n");
    expect(stored).toContain("openai");
    for (const hidden of [secret, key, ada.accessToken, ada.refreshToken])
      expect(stored).not.toContain(hidden);
    expect(JSON.stringify(cloud.logged)).not.toContain(secret);
  });

  test("both spellings of a path are one route, and every answer has a request id", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const answer = await asks(cloud, ada)("GET", "/agents/");
    expect(answer).toMatchObject({ status: 200, body: { agents: [] } });
    expect(answer.headers.get("x-request-id")).toBeTruthy();
  });
});
