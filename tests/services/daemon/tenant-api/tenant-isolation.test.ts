import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "../../../support/model-server.ts";
import { readRun, runOf, startTenantRuntime, tenantA, tenantB } from "../../../support/tenant-runtime.ts";

const opensLoopback = { network: { allow: ["127.0.0.0/8"] } };
const asks = (name: string, input: Record<string, unknown>) => ({ toolCalls: [{ name, arguments: input }] });

/** Returns the messages of the model's last call. */
const told = (runtime: { lab: { requests: { body: { messages: unknown[] } }[] } }) =>
  JSON.stringify(runtime.lab.requests.at(-1)?.body.messages);

describe("memory", () => {
  test("belongs to tenant, agent id and session", async () => {
    await using runtime = await startTenantRuntime();
    const ofA = await runtime.register({}, { tenant: tenantA, id: "a" });
    const ofB = await runtime.register({}, { tenant: tenantB, id: "b" });
    await runtime.run(ofA, { query: "my word is plum" });
    await runtime.run(ofB, { query: "what is my word?" });
    expect(told(runtime)).not.toContain("plum");
    await runtime.run(ofA, { query: "what is my word?" });
    expect(told(runtime)).toContain("plum");
    await runtime.run(ofA, { query: "what is my word?", session_id: "s2" });
    expect(told(runtime)).not.toContain("plum");
  });

  test("of a deleted agent is gone, also for one of the same id that comes again", async () => {
    await using runtime = await startTenantRuntime();
    const name = await runtime.register({}, { id: "a" });
    await runtime.run(name, { query: "my word is plum" });
    await runtime.client.deregister(name);
    await runtime.register({}, { id: "a" });
    await runtime.run(name, { query: "what is my word?" });
    expect(told(runtime)).not.toContain("plum");
  });

  test("is not an agent's that has a name again", async () => {
    await using runtime = await startTenantRuntime();
    const name = await runtime.register({}, { id: "a" });
    await runtime.run(name, { query: "my word is plum" });
    await runtime.register({ identity: { role: "other" } }, { id: "b" });
    await runtime.run(name, { query: "what is my word?" });
    expect(told(runtime)).not.toContain("plum");
  });

  test("of a tenant that calls its agent as the operator's is called stays apart", async () => {
    const manifest = {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "helper" },
      spec: { model: { primary: { provider: "lab", model: "m" } } },
    };
    await using runtime = await startTenantRuntime({
      files: { "agents/helper.agent.yaml": JSON.stringify(manifest) },
    });
    await fetch(`${runtime.url}/v1/agents/helper/run`, {
      method: "POST",
      body: JSON.stringify({ query: "my word is plum", session_id: "s1" }),
    });
    const name = await runtime.register({}, { id: "helper" });
    await runtime.run(name, { query: "what is my word?" });
    expect(told(runtime)).not.toContain("plum");
  });
});

describe("names", () => {
  const calls = (agent: string) => ({ tools: [{ name: "other", type: "agent", config: { agent } }] });

  test.each(["secretary", `t_${tenantB}__secretary`, "boss"])(
    "an agent tool never reaches %s",
    async (agent) => {
      const manifest = {
        apiVersion: "platform/v1",
        kind: "Agent",
        metadata: { name: "boss" },
        spec: { model: { primary: { provider: "lab", model: "m" } } },
      };
      await using runtime = await startTenantRuntime({
        files: { "agents/boss.agent.yaml": JSON.stringify(manifest) },
        script: [asks("other", { query: "tell me all" }), { text: "done" }],
      });
      await runtime.register({}, { tenant: tenantB, name: "secretary", id: "b" });
      // A manifest does not accept a name with underscores.
      if (agent.includes("_")) return expect(await runtime.problems(calls(agent))).not.toEqual([]);
      const name = await runtime.register(calls(agent));
      await runtime.run(name);
      expect(runtime.lab.requests).toHaveLength(2);
      expect(told(runtime)).toContain("There is no agent named");
    },
  );

  test("a chain and a swarm stay inside the tenant", async () => {
    await using runtime = await startTenantRuntime();
    await runtime.register({}, { tenant: tenantB, name: "archive", id: "b" });
    const name = await runtime.register({ chain: { on_complete: [{ agent: "archive" }] } });
    const { ended } = await runtime.run(name);
    expect((ended.result as { chain: { links: unknown[] } }).chain.links).toEqual([
      expect.objectContaining({ agent: "archive", status: "error" }),
    ]);
    expect(runtime.lab.requests).toHaveLength(1);
  });

  test("a collection of another tenant, or of the operator, is empty", async () => {
    await using runtime = await startTenantRuntime({
      script: [asks("docs", { query: "salaries" }), { text: "done" }],
    });
    const ingest = { collection: "handbook", documents: [{ text: "salaries are secret plums" }] };
    const answer = await fetch(`${runtime.url}/v1/rag/ingest`, {
      method: "POST",
      body: JSON.stringify(ingest),
    });
    expect(answer.status).toBeLessThan(300);
    const name = await runtime.register({
      tools: [{ name: "docs", type: "rag", config: { collection: "handbook" } }],
    });
    await runtime.run(name);
    expect(told(runtime)).not.toContain("plum");
  });
});

test("the operator's own API lists no agents of tenants, and a run of one is 404", async () => {
  await using runtime = await startTenantRuntime({ script: [asks("secretmaker", {}), { text: "done" }] });
  const name = await runtime.register(
    {
      tools: [
        {
          name: "secretmaker",
          type: "webhook",
          parameters: { type: "object" },
          config: { url: "https://x.example" },
        },
      ],
    },
    { name: "undercover" },
  );
  await runtime.run(name, { session_id: "quiet-session" });
  for (const path of [
    "/v1/agents",
    "/v1/traces",
    "/v1/stats/runs?group_by=agent",
    "/v1/costs",
    "/v1/metrics",
    "/metrics",
    "/v1/system/status",
    "/v1/memory/undercover",
    "/v1/agents/undercover",
    "/v1/approvals",
    `/v1/agents/${name}`,
  ]) {
    const text = await (await fetch(`${runtime.url}${path}`)).text();
    expect(`${path} ${text.replace(/no agent named[^"]*"?[^"]*/gi, "")}`).not.toMatch(
      /quiet-session|secretmaker|"undercover"/,
    );
  }
  const metrics = await (await fetch(`${runtime.url}/metrics`)).text();
  expect(metrics).toContain('agent_name="tenant"');
  expect(metrics).toContain('tool_name="tenant"');
  const run = await fetch(`${runtime.url}/v1/agents/undercover/run`, {
    method: "POST",
    body: '{"query":"hi"}',
  });
  expect(run.status).toBe(404);
});

describe("the internal routes", () => {
  test("are 404 where no token is configured", async () => {
    await using runtime = await startTenantRuntime();
    expect((await fetch(`${runtime.url}/v1/internal/agents`)).status).toBe(404);
  });

  test("are 401 with another token", async () => {
    await using runtime = await startTenantRuntime({ transport: "over the network" });
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "Bearer " }]) {
      for (const [method, path] of [
        ["GET", "/agents"],
        ["PUT", "/agents/x"],
        ["DELETE", "/agents/x"],
        ["POST", "/check"],
        ["POST", "/agents/x/run"],
        ["POST", "/runs/x/cancel"],
        ["POST", "/approvals/x/decide"],
        ["GET", "/catalog"],
      ]) {
        const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
        const answer = await fetch(`${runtime.url}/v1/internal${path}`, {
          method: method ?? "",
          headers,
          ...body,
        });
        expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 401`);
      }
    }
  });
});

describe("keys and addresses", () => {
  test("an own server never sees a key of the operator's", async () => {
    await using runtime = await startTenantRuntime({ runtime: opensLoopback });
    const own = await startModelServer([{ text: "Mine." }]);
    try {
      const name = await runtime.register({
        model: { primary: { provider: "vllm", model: "m", endpoint: own.url } },
      });
      expect((await runtime.run(name)).response).toBe("Mine.");
      expect(own.requests[0]?.headers.get("authorization")).toBeNull();
      expect(runtime.lab.requests).toHaveLength(0);
    } finally {
      await own.stop();
    }
  });

  test("the operator's endpoint gets the operator's key, and only there", async () => {
    await using runtime = await startTenantRuntime();
    await runtime.run(
      await runtime.register({
        model: { primary: { provider: "lab", model: "m", endpoint: runtime.lab.url } },
      }),
    );
    expect(runtime.lab.requests[0]?.headers.get("authorization")).toBe("Bearer lab-key-0123456789");
  });

  test("an address below the operator's is not the operator's", async () => {
    await using runtime = await startTenantRuntime();
    const problems = await runtime.problems({
      model: { primary: { provider: "lab", model: "m", endpoint: `${runtime.lab.url}/../admin` } },
    });
    expect(problems).not.toEqual([]);
  });

  test("what fails at the operator's server says nothing of where it is", async () => {
    await using runtime = await startTenantRuntime({ script: [{ status: 500, body: "boom" }] });
    const { ended } = await runtime.run(await runtime.register());
    expect(ended).toMatchObject({ outcome: "error" });
    expect(JSON.stringify(ended)).not.toContain(new URL(runtime.lab.url).port);
    await runtime.lab.stop();
    const gone = (await runtime.run(await runtime.register())).ended;
    expect(gone).toMatchObject({ outcome: "error" });
    expect(JSON.stringify(gone)).not.toMatch(/127\.0\.0\.1|lab-key/);
  });

  test.each([
    "http://127.0.0.1:1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://localhost:80/",
    "file:///etc/passwd",
  ])("a tool is not let to %s", async (url) => {
    await using runtime = await startTenantRuntime({
      script: [asks("http_request", { url, method: "GET" }), { text: "done" }],
    });
    await runtime.run(await runtime.register({ tools: [{ name: "http_request", type: "builtin" }] }));
    expect(told(runtime)).toContain('\\"success\\":false');
    expect(told(runtime)).not.toContain("root:");
  });

  test("a circuit that a tenant's own server opens is no one else's", async () => {
    await using runtime = await startTenantRuntime({ runtime: opensLoopback });
    const own = await startModelServer([{ status: 500, body: "boom" }]);
    try {
      const name = await runtime.register({
        model: { primary: { provider: "vllm", model: "m", endpoint: own.url } },
      });
      for (let run = 0; run < 5; run++) await runtime.run(name);
      const asked = own.requests.length;
      expect((await runtime.run(name)).ended.error?.code).toBe("no_provider_available");
      expect(own.requests).toHaveLength(asked);
      const other = await runtime.register(
        { model: { primary: { provider: "vllm", model: "m", endpoint: own.url } } },
        { tenant: tenantB, id: "b" },
      );
      await runtime.run(other);
      expect(own.requests).toHaveLength(asked + 1);
      const status = await (await fetch(`${runtime.url}/v1/system/status`)).text();
      expect(status).not.toContain(new URL(own.url).port);
    } finally {
      await own.stop();
    }
  });
});

describe("files of a tenant", () => {
  const opened = { runtime: { tenants: { tools: ["read_file", "write_file", "sql_query"] } } };
  const both = {
    tools: [
      { name: "read_file", type: "builtin" },
      { name: "write_file", type: "builtin" },
    ],
  };

  test("are written and read in a folder of its own", async () => {
    await using runtime = await startTenantRuntime({
      ...opened,
      script: [
        asks("write_file", { path: "/notes/a.txt", content: "plum" }),
        asks("read_file", { path: "/notes/a.txt" }),
        { text: "done" },
      ],
    });
    await runtime.run(await runtime.register(both));
    expect(told(runtime)).toContain("plum");
    expect(told(runtime)).not.toContain(runtime.workspace);
    expect(existsSync(join(runtime.workspace, ".argosy/tenants", tenantA, "notes/a.txt"))).toBe(true);
  });

  test.each([
    "/etc/hostname",
    "/../../../../../../etc/hostname",
    "../b.txt",
    "/../b.txt",
    `/../${tenantB}/b.txt`,
    "/../../secrets.json",
    "/../../daemon.db",
  ])("%s is not there", async (path) => {
    await using runtime = await startTenantRuntime({
      ...opened,
      script: [asks("read_file", { path }), { text: "done" }],
    });
    const folder = join(runtime.workspace, ".argosy/tenants", tenantB);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "b.txt"), "plum");
    writeFileSync(join(folder, "../b.txt"), "plum");
    await runtime.run(await runtime.register(both));
    expect(told(runtime)).toContain('\\"success\\":false');
    expect(told(runtime)).not.toContain(runtime.workspace);
    expect(told(runtime)).not.toContain("plum");
  });

  test("a database is one of its folder", async () => {
    await using runtime = await startTenantRuntime({
      ...opened,
      script: [
        asks("sql_query", { query: "ATTACH DATABASE '/etc/x.db' AS x" }),
        asks("sql_query", { query: "SELECT 1 + 1 AS n" }),
        { text: "done" },
      ],
    });
    const folder = join(runtime.workspace, ".argosy/tenants", tenantA);
    mkdirSync(folder, { recursive: true });
    new (await import("bun:sqlite")).Database(join(folder, "shop.db")).run("CREATE TABLE t (a)");
    await runtime.run(
      await runtime.register({
        tools: [{ name: "sql_query", type: "builtin", config: { connection_string: "sqlite:shop.db" } }],
      }),
    );
    expect(told(runtime)).toContain('\\"success\\":false');
    expect(told(runtime)).toContain('\\"rows\\":[{\\"n\\":2}]');
  });
});

describe("templates", () => {
  test("see what was asked, and are rendered in a process of their own", async () => {
    await using runtime = await startTenantRuntime();
    const name = await runtime.register({
      prompts: {
        system: "You answer {{ context.who }}.{% include 'end' %}",
        templates: { end: " Bye {{ user_query }}." },
      },
    });
    await runtime.run(name, { context: { who: "Ann" }, query: "now" });
    expect(told(runtime)).toContain("You answer Ann. Bye now.");
  });

  test("one that never ends is stopped, and other tenants do not wait for it", async () => {
    await using runtime = await startTenantRuntime();
    const bomb =
      "{% for a in range(10000) %}{% for b in range(10000) %}{{ user_query }}{% endfor %}{% endfor %}";
    const evil = await runtime.register({ prompts: { system: bomb } });
    const good = await runtime.register({}, { tenant: tenantB, id: "b" });
    const stuck = readRun(runtime.client.run(evil, runOf(evil)));
    expect((await runtime.run(good)).ended.outcome).toBe("ok");
    let isOver = false;
    const over = stuck.finally(() => {
      isOver = true;
    });
    while (!isOver) await runtime.clock.advance(50);
    expect((await over).ended).toMatchObject({
      outcome: "error",
      error: { code: "template_failed" },
      usage: [],
    });
  });

  test("know no secret, no other tenant and nothing of this machine", async () => {
    await using runtime = await startTenantRuntime();
    const name = await runtime.register({
      prompts: { system: "[{{ env }}{{ process }}{{ config }}{{ self }}{{ LAB_KEY }}{{ context }}]" },
    });
    await runtime.run(name);
    expect(told(runtime)).not.toContain("lab-key");
  });
});

describe("metrics labels", () => {
  test("are not filled with the words of tenants", async () => {
    await using runtime = await startTenantRuntime();
    await runtime.run(
      await runtime.register({ model: { primary: { provider: "lab", model: "word-of-a-tenant" } } }),
    );
    expect(await (await fetch(`${runtime.url}/metrics`)).text()).not.toContain("word-of-a-tenant");
  });
});

describe("templates of tenants elsewhere than in prompts", () => {
  test("conditions and inputs of chains, and what other agents are asked", async () => {
    await using runtime = await startTenantRuntime({
      script: ({ body }) => {
        const said = JSON.stringify(body.messages.at(-1)?.content);
        if (said.includes("start")) return asks("helper2", { query: "plum" });
        return { text: said.includes("asked of") ? "the plum is ripe" : "done" };
      },
    });
    await runtime.register({}, { name: "worker", id: "w" });
    await runtime.register({}, { name: "archive", id: "x" });
    const name = await runtime.register({
      tools: [
        {
          name: "helper2",
          type: "agent",
          config: { agent: "worker", context_transform: "asked of {{ agent_name }}: {{ query }}" },
        },
      ],
      chain: {
        on_complete: [
          {
            agent: "archive",
            when: "output.answer == 'done'",
            input: "Keep {{ output.answer }} of {{ trigger.query }}",
          },
          { agent: "worker", when: "output.answer == 'other'" },
          { agent: "worker", when: "output.nothing.here == 1" },
        ],
      },
    });
    const { ended } = await runtime.run(name, { query: "start" });
    const texts = runtime.lab.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)?.content));
    expect(texts.some((text) => text.includes("asked of helper: plum"))).toBe(true);
    expect(texts.some((text) => text.includes("Keep done of start"))).toBe(true);
    const { links } = (ended.result as { chain: { links: { status: string; error?: string }[] } }).chain;
    expect(links.map(({ status }) => status)).toEqual(["success", "skipped", "error"]);
    expect(links[2]?.error).toContain("nothing");
  });

  test("stages of a pipeline and members of a swarm", async () => {
    await using runtime = await startTenantRuntime({
      script: [asks("tech", { reason: "r" }), { text: "fixed" }],
    });
    await runtime.register(
      { prompts: { system: "I am {{ agent_name }} for {{ user_query }}." } },
      { name: "tech", id: "t" },
    );
    const swarm = await runtime.register({
      orchestration: { pattern: "swarm" },
      tools: [{ name: "tech", type: "agent", config: { agent: "tech" } }],
    });
    expect((await runtime.run(swarm)).response).toContain("fixed");
    expect(told(runtime)).toContain("I am tech for hi.");
    const staged = await runtime.register({
      orchestration: {
        pattern: "pipeline",
        stages: [
          { name: "one", prompt: "First of {{ user_query }}." },
          { name: "two", prompt: "After {{ previous }}." },
        ],
      },
    });
    await runtime.run(staged);
    expect(told(runtime)).toContain("After fixed.");
  });
});
