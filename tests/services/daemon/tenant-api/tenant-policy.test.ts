import { describe, expect, test } from "bun:test";
import { manifestOf, startTenantRuntime, tenantA } from "../../../support/tenant-runtime.ts";

/** Parts of a manifest by an attacker with one tenant's key. */
const model = (block: Record<string, unknown>) => ({
  model: { primary: { provider: "lab", model: "test-model", ...block } },
});
const tool = (entry: Record<string, unknown>) => ({ tools: [{ type: "builtin", ...entry }] });
const mcp = (config: Record<string, unknown>) => ({ tools: [{ name: "srv", type: "mcp", config }] });
const webhook = (config: Record<string, unknown>) => ({
  tools: [{ name: "hook", type: "webhook", parameters: { type: "object" }, config }],
});

const refusals: [string, Record<string, unknown>, string][] = [
  ["a variable", { prompts: { system: "Say $" + "{LAB_KEY}" } }, "spec.prompts.system"],
  [
    "a variable in a header",
    webhook({ url: "https://example.com", headers: { a: "$" + "{LAB_KEY}" } }),
    "spec.tools[0].config.headers.a",
  ],
  [
    "more secrets than a manifest may have",
    webhook({
      url: "https://example.com",
      headers: Object.fromEntries(
        Array.from({ length: 201 }, (_, n) => [`x-${n}-api-key`, `a-secret-number-${n}`]),
      ),
    }),
    "spec",
  ],
  [
    "a cookie of more secrets than a manifest may have",
    webhook({
      url: "https://example.com",
      headers: { cookie: Array.from({ length: 300 }, (_, n) => `c=a-secret-number-${n}`).join("; ") },
    }),
    "spec",
  ],
  ["a key", model({ api_key: "sk-1" }), "spec.model.primary.api_key"],
  ["the name of a key", model({ api_key_env: "LAB_KEY" }), "spec.model.primary.api_key_env"],
  [
    "the name of a key beside an own address",
    model({ provider: "openai", endpoint: "https://evil.example/v1", api_key_env: "LAB_KEY" }),
    "spec.model.primary.api_key_env",
  ],
  [
    "the name of a key of a fallback",
    {
      model: {
        primary: { provider: "lab", model: "m" },
        fallback: { provider: "lab", model: "m", api_key_env: "LAB_KEY" },
      },
    },
    "spec.model.fallback.api_key_env",
  ],
  [
    "the name of a key of a role",
    {
      model: {
        primary: { provider: "lab", model: "m" },
        roles: { planner: { candidates: [{ provider: "lab", model: "m", api_key_env: "LAB_KEY" }] } },
      },
    },
    "spec.model.roles.planner.candidates[0].api_key_env",
  ],
  [
    "the operator's entry at another address",
    model({ endpoint: "https://evil.example/v1" }),
    "spec.model.primary.provider",
  ],
  [
    "this machine as a model server",
    model({ provider: "vllm", endpoint: "http://127.0.0.1:11434/v1" }),
    "spec.model.primary.endpoint",
  ],
  [
    "the usual address of a local server",
    model({ provider: "ollama", endpoint: "http://127.0.0.1:11434" }),
    "spec.model.primary.endpoint",
  ],
  ["a local server that nobody configured", model({ provider: "ollama" }), "spec.model.primary.provider"],
  [
    "a private address",
    model({ provider: "vllm", endpoint: "http://10.0.0.5/v1" }),
    "spec.model.primary.endpoint",
  ],
  [
    "a metadata service",
    model({ provider: "vllm", endpoint: "http://169.254.169.254/v1" }),
    "spec.model.primary.endpoint",
  ],
  [
    "an IPv6 spelling of this machine",
    model({ provider: "vllm", endpoint: "http://[::ffff:127.0.0.1]/v1" }),
    "spec.model.primary.endpoint",
  ],
  [
    "localhost by its name",
    model({ provider: "vllm", endpoint: "http://localhost:9/v1" }),
    "spec.model.primary.endpoint",
  ],
  [
    "a hosted provider without the operator's key",
    model({ provider: "anthropic" }),
    "spec.model.primary.provider",
  ],
  [
    "a model of the operator's files",
    model({ provider: "onnx", model: "secret-model" }),
    "spec.model.primary.provider",
  ],
  [
    "a model of the operator's files with an address",
    model({ provider: "onnx", endpoint: "https://example.com" }),
    "spec.model.primary.provider",
  ],
  [
    "a program",
    mcp({ transport: "stdio", command: "/bin/sh", args: ["-c", "id"] }),
    "spec.tools[0].config.transport",
  ],
  [
    "an MCP server of this machine",
    mcp({ transport: "http", url: "http://127.0.0.1:1/mcp", allow_localhost: true }),
    "spec.tools[0].config.allow_localhost",
  ],
  [
    "an MCP server in a private network",
    mcp({ transport: "http", url: "http://192.168.1.1/mcp" }),
    "spec.tools[0].config.url",
  ],
  [
    "a webhook to this machine",
    webhook({ url: "http://127.0.0.1:8000/v1/agents" }),
    "spec.tools[0].config.url",
  ],
  ["an internal tool", { tools: [{ name: "shell", type: "internal" }] }, "spec.tools[0]"],
  [
    "a tool of the caller's",
    { tools: [{ name: "ask", type: "client", parameters: { type: "object" } }] },
    "spec.tools[0]",
  ],
  ["files", tool({ name: "read_file", config: { allowed_paths: ["/etc"] } }), "spec.tools[0].name"],
  ["writing files", tool({ name: "write_file" }), "spec.tools[0].name"],
  [
    "a database",
    tool({ name: "sql_query", config: { connection_string: "sqlite:///etc/passwd" } }),
    "spec.tools[0].name",
  ],
  [
    "mail",
    tool({ name: "send_email", config: { smtp_host: "127.0.0.1", from_address: "a@b.c" } }),
    "spec.tools[0].name",
  ],
  ["documents of the operator's", tool({ name: "rag_ingest" }), "spec.tools[0].name"],
  [
    "requests to this machine",
    tool({ name: "http_request", config: { allow_localhost: true } }),
    "spec.tools[0].config.allow_localhost",
  ],
  [
    "pages of this machine",
    tool({ name: "web_scrape", config: { allow_localhost: true } }),
    "spec.tools[0].config.allow_localhost",
  ],
  [
    "a search service that gets the operator's key",
    tool({ name: "web_search", config: { provider: "brave", base_url: "https://evil.example" } }),
    "spec.tools[0].config.base_url",
  ],
  [
    "a search key",
    tool({ name: "web_search", config: { provider: "brave", api_key: "k-123456" } }),
    "spec.tools[0].config.api_key",
  ],
  ["the operator's chat", tool({ name: "send_chat" }), "spec.tools[0].config.webhook_url"],
  [
    "a store of conversations",
    { memory: { conversational: { backend: "redis", connection: { url: "redis://10.0.0.1" } } } },
    "spec.memory.conversational.connection",
  ],
  [
    "a file for conversations",
    { memory: { conversational: { connection: { url: "sqlite:.argosy/daemon.db" } } } },
    "spec.memory.conversational.connection",
  ],
  [
    "a store of memories",
    { memory: { semantic: { connection: { url: "http://10.0.0.1" } } } },
    "spec.memory.semantic.connection",
  ],
  [
    "a store that the operator has not chosen",
    { memory: { semantic: { backend: "qdrant" } } },
    "spec.memory.semantic.backend",
  ],
  [
    "a paid embedder",
    { memory: { semantic: { embedder: "openai/text-embedding-3-small" } } },
    "spec.memory.semantic.embedder",
  ],
  [
    "a store of episodes",
    { memory: { episodic: { connection: { url: "postgres://10.0.0.1/x" } } } },
    "spec.memory.episodic.connection",
  ],
  [
    "summaries that nobody pays",
    { memory: { conversational: { strategy: "summary" } } },
    "spec.memory.conversational.strategy",
  ],
  ["the operator's documents", { knowledge: { pipeline: "handbook" } }, "spec.knowledge"],
  ["a channel of the operator's", { channels: [{ type: "phone_messenger" }] }, "spec.channels[0]"],
];

describe("a manifest of a tenant may not name", () => {
  test("any of these", async () => {
    await using runtime = await startTenantRuntime();
    const found: Record<string, string[]> = {};
    for (const [what, spec, path] of refusals) {
      const problems = await runtime.problems(spec);
      found[what] = problems.map((one) => one.path).filter((one) => one === path || one.startsWith(path));
    }
    const missed = refusals.filter(([what]) => (found[what] ?? []).length === 0).map(([what]) => what);
    expect(missed).toEqual([]);
    expect(await runtime.client.list()).toEqual({ agents: [] });
  });

  test("and problems show no value of the operator's", async () => {
    await using runtime = await startTenantRuntime();
    const problems = await Promise.all(refusals.map(([, spec]) => runtime.problems(spec)));
    expect(JSON.stringify(problems)).not.toContain("lab-key");
    expect(JSON.stringify(problems)).not.toContain(runtime.workspace);
    expect(JSON.stringify(problems)).not.toContain(runtime.lab.url);
  });
});

test.each<[string, Record<string, unknown>]>([
  [
    "an own server at a public address",
    model({ provider: "vllm", endpoint: "https://models.example.com/v1" }),
  ],
  ["the rehearsal", model({ provider: "rehearsal" })],
  ["an MCP server", mcp({ transport: "http", url: "https://mcp.example.com/mcp" })],
  ["a webhook with a connection", webhook({ url: "https://example.com/x", connection: "erp" })],
  ["messages", { tools: [{ name: "send_message", type: "internal" }] }],
  [
    "a search server of its own",
    tool({ name: "web_search", config: { provider: "searxng", base_url: "https://search.example.com" } }),
  ],
  [
    "memory where the operator keeps it",
    { memory: { conversational: { backend: "sqlite", max_turns: 4 }, semantic: {}, episodic: {} } },
  ],
  ["a collection of its own", { tools: [{ name: "docs", type: "rag", config: { collection: "handbook" } }] }],
])("a manifest of a tenant may name %s", async (_, spec) => {
  await using runtime = await startTenantRuntime();
  expect(await runtime.problems(spec)).toEqual([]);
});

describe("what the operator opens", () => {
  test("an endpoint of its own configuration may be named", async () => {
    await using runtime = await startTenantRuntime();
    expect(await runtime.problems(model({ endpoint: `${runtime.lab.url}/` }))).toEqual([]);
  });

  test("a network, for models as for tools", async () => {
    await using runtime = await startTenantRuntime({ runtime: { network: { allow: ["10.1.0.0/16"] } } });
    expect(await runtime.problems(model({ provider: "vllm", endpoint: "http://10.1.2.3/v1" }))).toEqual([]);
    expect(await runtime.problems(webhook({ url: "http://10.1.2.3/x" }))).toEqual([]);
    expect(await runtime.problems(webhook({ url: "http://10.2.2.3/x" }))).toHaveLength(1);
  });

  test("providers: those that are named, and no others", async () => {
    await using runtime = await startTenantRuntime({ runtime: { tenants: { providers: ["other"] } } });
    expect(await runtime.problems({})).toEqual([
      {
        path: "spec.model.primary.provider",
        message: expect.stringContaining("is not configured for tenants"),
      },
    ]);
  });

  test("tools: no option of them leads out of the tenant's folder", async () => {
    await using runtime = await startTenantRuntime({
      runtime: { tenants: { tools: ["read_file", "write_file", "sql_query"] } },
    });
    expect(await runtime.problems(tool({ name: "read_file" }))).toEqual([]);
    expect(
      await runtime.problems(tool({ name: "sql_query", config: { connection_string: "sqlite:shop.db" } })),
    ).toEqual([]);
    for (const path of ["/etc", "{workspace}", "{workspace}/../.."]) {
      expect(
        await runtime.problems(tool({ name: "read_file", config: { allowed_paths: [path] } })),
      ).toHaveLength(1);
    }
    for (const connection_string of [
      "sqlite:../other/shop.db",
      "sqlite:///etc/shadow.db",
      "sqlite:a/../../x.db",
      "file:shop.db",
      "postgres://localhost/argosy",
      "sqlite:shop.db?mode=rwc",
      "sqlite:%2e%2e/x.db",
    ]) {
      const problems = await runtime.problems(tool({ name: "sql_query", config: { connection_string } }));
      expect(problems.map(({ path }) => path)).toEqual(["spec.tools[0].config.connection_string"]);
    }
  });

  test.each(["send_email", "rag_ingest"])("%s can't be opened, which the start says", async (name) => {
    let thrown: unknown;
    try {
      await using _ = await startTenantRuntime({ runtime: { tenants: { tools: [name] } } });
    } catch (fault) {
      thrown = fault;
    }
    expect(String((thrown as Error).message)).toContain("spec.tenants.tools");
  });
});

test("a check registers nothing and keeps nothing open", async () => {
  await using runtime = await startTenantRuntime();
  await runtime.client.check(tenantA, manifestOf("helper"));
  expect(await runtime.client.list()).toEqual({ agents: [] });
});
