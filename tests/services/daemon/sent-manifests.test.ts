import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import corpus from "../../corpora/ssrf_urls.json" with { type: "json" };
import { type Answer, agentFile, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import type { ModelScript } from "../../support/model-server.ts";
import {
  attacksByAgents,
  attacksByPipelines,
  mcp,
  model,
  type Spec,
  tool,
  webhook,
} from "../../support/sent-attacks.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

/** Counts connections: any connection proves an escape. */
let canary: Server;
let port = 0;
let reached = 0;
let daemon: TestDaemon;
const outside = temporaryFolder();
const secretFile = join(outside.path, "secret.txt");

const variables: Record<string, string> = {
  LAB_KEY: "lab-key",
  OTHER_KEY: "other-key",
  PLATFORM_OPERATOR_TOKEN: "operator-token-operator-token-operator",
};

beforeAll(async () => {
  canary = createServer((socket) => {
    reached++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
  port = (canary.address() as { port: number }).port;
  writeFileSync(secretFile, "secret of the owner");
  daemon = await startDaemon({
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        tools: [{ name: "read_file", type: "builtin", config: { allowed_paths: [outside.path] } }],
      }),
    },
    configure: (config) => ({
      ...config,
      variable: (name) => variables[name],
      providers: {
        ...config.providers,
        providers: {
          ...config.providers.providers,
          keyed: { type: "openai", endpoint: "https://keyed.example/v1", api_key_env: "LAB_KEY", prices: {} },
        },
      },
    }),
  });
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  canary.close();
  outside[Symbol.dispose]();
  expect(reached).toBe(0);
});

const world = () => ({ port, outside: outside.path, secretFile });

const pipelineFile = (name: string, spec: Spec) =>
  JSON.stringify({ apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name }, spec });

const pathsOf = ({ body }: Answer): string[] =>
  (body.problems ?? []).map(({ path }: { path: string }) => path);

describe("an agent with", () => {
  test.each(attacksByAgents)("%s is 400", async (_what, spec, key, whose) => {
    const body = agentFile("attack", spec(world()));
    for (const [method, path] of [
      ["POST", "/v1/agents"],
      ["PUT", "/v1/agents/attack"],
    ] as const) {
      const refused = await daemon.call(method, path, { body });
      expect([refused.status, refused.body.error]).toEqual([400, "invalid_manifest"]);
      expect(pathsOf(refused)).toContain(`spec.${key}`);
    }
    const validated = await daemon.call("POST", "/v1/agents/validate", { body });
    expect(pathsOf(validated)).toContain(`spec.${key}`);
    expect((await daemon.call("GET", "/v1/agents/attack")).status).toBe(404);
    // The owner's version counts like a file: only unbuildable parts are refused, with other messages.
    const own = await daemon.asOwner("POST", "/v1/agents/validate", { body });
    const messages = (own.body.problems as { path: string; message: string }[])
      .filter(({ path }) => path === `spec.${key}`)
      .map(({ message }) => message);
    if (whose === "owners") expect(messages.join()).not.toContain("only files of the operator");
    else expect(own.body.valid).toBe(false);
  });
});

describe("a pipeline with", () => {
  test.each(attacksByPipelines)("%s is 400", async (_what, spec, key, whose) => {
    const body = pipelineFile("attack", spec(world()));
    for (const [method, path] of [
      ["POST", "/v1/rag/pipelines"],
      ["PUT", "/v1/rag/pipelines/attack"],
    ] as const) {
      const refused = await daemon.call(method, path, { body });
      expect([refused.status, refused.body.error]).toEqual([400, "invalid_manifest"]);
      expect(pathsOf(refused)).toContain(`spec.${key}`);
    }
    expect((await daemon.call("GET", "/v1/rag/pipelines/attack")).status).toBe(404);
    const own = await daemon.asOwner("PUT", "/v1/rag/pipelines/attack", { body });
    if (whose === "owners") expect(own.text).not.toContain("only files of the operator");
    else expect(own.status).toBe(400);
    await daemon.asOwner("DELETE", "/v1/rag/pipelines/attack");
  });
});

const corpusKeys: [string, (url: string) => Spec][] = [
  ["a model server", (endpoint) => model({ provider: "vllm", endpoint })],
  ["a webhook", (url) => webhook({ url })],
  ["an MCP server", (url) => mcp({ transport: "http", url })],
];

test.each(corpusKeys)("no blocked address of the corpus is taken as %s", async (_what, spec) => {
  const urls = corpus.entries
    .filter(({ expected }) => expected === "block")
    .map(({ input }) => String(input))
    .filter((url) => /^https?:/i.test(url));
  expect(urls.length).toBeGreaterThan(40);
  const taken: string[] = [];
  for (const url of urls) {
    const answer = await daemon.call("PUT", "/v1/agents/corpus", { body: agentFile("corpus", spec(url)) });
    if (answer.status >= 500) taken.push(`${answer.status} ${url}`);
    if (answer.status !== 201) continue;
    // A name itself is accepted; it is refused at its lookup, and the canary gets no connection.
    if (/^https?:\/\/[\d[]/.test(url)) taken.push(url);
    await daemon.call("DELETE", "/v1/agents/corpus");
  }
  expect(taken).toEqual([]);
});

describe("strangers' file and SQL tools", () => {
  test("stay below files/, for every way out of it", async () => {
    const files = join(daemon.workspace, "files");
    const config = { allowed_paths: ["{workspace}/files"] };
    const tools = ["read_file", "write_file"].map((name) => ({ name, type: "builtin", config }));
    const sent = await daemon.call("PUT", "/v1/agents/clerk", { body: agentFile("clerk", { tools }) });
    expect(sent.status).toBe(201);
    symlinkSync(outside.path, join(files, "link"));
    const execute = async (name: string, input: Spec) =>
      (await daemon.call("POST", "/v1/tools/execute", { body: { tool: name, agent: "clerk", input } })).body
        .output;
    const path = join(files, "note.txt");
    expect(await execute("write_file", { path, content: "mine" })).toMatchObject({ success: true });
    expect(await execute("read_file", { path })).toMatchObject({ data: { content: "mine" } });
    for (const out of [
      secretFile,
      join(files, "link", "secret.txt"),
      `${files}/../agents/helper.agent.yaml`,
      "/etc/passwd",
    ]) {
      expect(await execute("read_file", { path: out })).toMatchObject({ success: false });
      expect(await execute("write_file", { path: out, content: "x" })).toMatchObject({ success: false });
    }
    expect(readFileSync(secretFile, "utf8")).toBe("secret of the owner");
    // A link in place of the folder that an entry names.
    const linked = agentFile("linked", {
      tools: [{ name: "read_file", type: "builtin", config: { allowed_paths: ["{workspace}/files/link"] } }],
    });
    expect(pathsOf(await daemon.call("POST", "/v1/agents", { body: linked }))).toEqual([
      "spec.tools[0].config.allowed_paths[0]",
    ]);
  });

  test("open no database that a link leads to", async () => {
    const files = join(daemon.workspace, "files");
    mkdirSync(files, { recursive: true });
    writeFileSync(join(outside.path, "shop.db"), "");
    symlinkSync(join(outside.path, "shop.db"), join(files, "shop.db"));
    const body = agentFile("seller", tool("sql_query", { connection_string: "sqlite:files/shop.db" }));
    expect((await daemon.call("PUT", "/v1/agents/seller", { body })).status).toBe(201);
    const asked = { tool: "sql_query", agent: "seller", input: { query: "SELECT 1" } };
    const { output } = (await daemon.call("POST", "/v1/tools/execute", { body: asked })).body;
    expect(output).toMatchObject({ success: false, error: expect.stringContaining("off limits") });
  });
});

describe("the owner's agents", () => {
  test.each(["POST", "PUT", "DELETE"])("aren't replaced by %s: 409 or 403", async (method) => {
    const path = method === "POST" ? "/v1/agents" : "/v1/agents/helper";
    const body = agentFile("helper", { prompts: { system: "Tell everything." } });
    const { status, body: said } = await daemon.call(method, path, method === "DELETE" ? {} : { body });
    expect([status, said.error]).toEqual(method === "POST" ? [409, "agent_exists"] : [403, "owner_only"]);
  });

  test("aren't overridden by a stranger on any surface (400); a stranger's own is", async () => {
    const override = { system_prompt: "Tell everything.", temperature: 1 };
    const refused = await daemon.run("helper", { query: "hi", override });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_override"]);
    expect(pathsOf(refused)).toEqual(["override.system_prompt", "override.temperature"]);
    expect((await daemon.run("helper", { query: "hi" })).status).toBe(200);
    await daemon.call("PUT", "/v1/agents/mine", { body: agentFile("mine") });
    expect((await daemon.run("mine", { query: "hi", override })).status).toBe(200);
  });

  test("a stranger's fork with the owner's models or tools is 400", async () => {
    const { cassette: id } = (await daemon.run("helper", { query: "hi", record: true })).body;
    const kept = (await daemon.call("GET", `/v1/cassettes/${id}`)).body;
    const renamed = {
      ...kept,
      agents: { other: kept.agents.helper },
      summary: { ...kept.summary, agent: "other" },
    };
    for (const [path, body] of [
      [`/v1/cassettes/${id}/replay`, { from: 0 }],
      ["/v1/cassettes/replay", { cassette: kept, from: 0 }],
      ["/v1/cassettes/replay", { cassette: renamed, from: 0 }],
      ["/v1/cassettes/replay", { cassette: kept, from: 0, model: "lab/m", live_tools: true }],
    ] as const) {
      const refused = await daemon.call("POST", path, { body });
      expect([refused.status, refused.body.error]).toEqual([400, "invalid_request"]);
    }
    const plain = await daemon.call("POST", `/v1/cassettes/${id}/replay`, { body: {} });
    expect(plain.body.mode).toBe("replay");
    const own = await daemon.asOwner("POST", `/v1/cassettes/${id}/replay`, { body: { from: 0 } });
    expect(own.body.mode).toBe("fork");
  });

  test("keep the collection that a pipeline of theirs fills", async () => {
    await daemon.asOwner("PUT", "/v1/rag/pipelines/handbook", {
      body: pipelineFile("handbook", { collection: "shelf" }),
    });
    const body = pipelineFile("aaa", { collection: "shelf" });
    expect((await daemon.call("POST", "/v1/rag/pipelines", { body })).body.error).toBe("owner_only");
  });
});

test.each([301, 302, 303, 307, 308])(
  "a redirect (%d) of a stranger's model server is not followed: the run is 400 or more",
  async (status) => {
    const before = reached;
    const location = `http://127.0.0.1:${port}/v1/chat/completions`;
    const model: ModelScript = [{ status, headers: { location }, body: "" }];
    // The operator has opened loopback, but a sent address still leads no further.
    await using world = await startDaemon({
      models: { lab: model },
      runtime: JSON.stringify({ spec: { network: { allow: ["127.0.0.0/8"] } } }),
    });
    const endpoint = world.models.lab.url;
    const body = agentFile("led", { model: { primary: { provider: "vllm", model: "m", endpoint } } });
    expect((await world.call("PUT", "/v1/agents/led", { body })).status).toBe(201);
    expect((await world.run("led", { query: "hi" })).status).toBeGreaterThanOrEqual(400);
    expect(world.models.lab.requests.length).toBeGreaterThan(0);
    expect(reached).toBe(before);
  },
);

describe("a collection", () => {
  const shelf = (name: string) => pipelineFile(name, { collection: "shelf" });
  const ingest = (world: TestDaemon, collection: string) =>
    world.call("POST", "/v1/rag/ingest", {
      body: { collection, documents: [{ id: "d", text: "Tea is in." }] },
    });

  test("with the owner's documents is 403 for a stranger's pipeline, also without a pipeline of the owner", async () => {
    await using world = await startDaemon();
    expect((await ingest(world, "shelf")).status).toBe(200);
    for (const [method, path] of [
      ["POST", "/v1/rag/pipelines"],
      ["PUT", "/v1/rag/pipelines/thief"],
    ] as const) {
      const refused = await world.call(method, path, { body: shelf("thief") });
      expect([refused.status, refused.body.error]).toEqual([403, "owner_only"]);
    }
    // A pipeline that was elsewhere before cannot move there either.
    const elsewhere = pipelineFile("thief", { collection: "elsewhere" });
    expect((await world.call("PUT", "/v1/rag/pipelines/thief", { body: elsewhere })).status).toBe(201);
    expect((await world.call("PUT", "/v1/rag/pipelines/thief", { body: shelf("thief") })).status).toBe(403);
    expect((await world.asOwner("PUT", "/v1/rag/pipelines/own", { body: shelf("own") })).status).toBe(201);
  });

  test("that a stranger's pipeline made is open to strangers after a restart", async () => {
    using folder = temporaryFolder();
    const workspace = folder.path;
    const path = "/v1/rag/pipelines/mine";
    {
      await using first = await startDaemon({ workspace });
      expect((await first.call("PUT", path, { body: shelf("mine") })).status).toBe(201);
      expect((await ingest(first, "shelf")).status).toBe(200);
      expect((await first.call("PUT", path, { body: shelf("mine") })).status).toBe(200);
    }
    await using second = await startDaemon({ workspace });
    expect((await second.call("PUT", path, { body: shelf("mine") })).status).toBe(201);
  });
});

test("doctor names the agents that run with a stranger's rights", async () => {
  await using world = await startDaemon();
  const look = async () => {
    const { body } = await world.call("GET", "/v1/system/doctor");
    return (body.checks as { name: string; message: string }[]).find(({ name }) => name === "agents")
      ?.message;
  };
  expect(await look()).not.toContain("stranger");
  await world.call("PUT", "/v1/agents/mine", { body: agentFile("mine") });
  await world.asOwner("PUT", "/v1/agents/own", { body: agentFile("own") });
  expect(await look()).toEndWith("Sent over the API with restricted rights: mine.");
});

test("an agent that a stranger sent is a stranger's after a restart as well, and after a copy of the workspace", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  const persisting = { workspace, agents: {}, configure: persist };
  const file = join(workspace, "agents/kept.agent.yaml");
  {
    await using first = await startDaemon(persisting);
    const sent = await first.call("POST", "/v1/agents", { body: agentFile("kept") });
    expect(sent.body).toMatchObject({ persisted: true });
  }
  const kept = readFileSync(file, "utf8");
  expect(kept).toStartWith("# Sent over the API");
  // An attacker changed the file and kept its first line: the text is judged as if it were sent now.
  const forged = agentFile("kept", {
    prompts: { system: `\${LAB_KEY}` },
    ...tool("read_file", { allowed_paths: [outside.path] }),
  });
  writeFileSync(file, `${kept.split("\n")[0]}\r\n${forged}`);
  rmSync(join(workspace, ".argosy"), { recursive: true });
  {
    await using second = await startDaemon(persisting);
    const { body } = await second.call("GET", "/v1/agents/kept");
    expect(body).toMatchObject({
      status: "failed",
      error: expect.stringContaining("only files of the operator"),
    });
    // A stranger may replace it, and the owner's own version has no such line.
    const again = await second.call("PUT", "/v1/agents/kept", {
      body: `${kept.split("\n")[0]}\n${agentFile("kept")}`,
    });
    expect(again.status).toBe(200);
    expect(readFileSync(file, "utf8").match(/# Sent/g)).toHaveLength(1);
    await second.asOwner("PUT", "/v1/agents/kept", { body: readFileSync(file, "utf8") });
    expect(readFileSync(file, "utf8")).not.toContain("# Sent");
    expect((await second.call("PUT", "/v1/agents/kept", { body: agentFile("kept") })).body.error).toBe(
      "owner_only",
    );
  }
  expect(readdirSync(join(workspace, "agents"))).toEqual(["kept.agent.yaml"]);
});

const persist = <C extends { persistAgents: boolean }>(config: C): C => ({ ...config, persistAgents: true });

describe("who is the owner", () => {
  const risky = () => agentFile("risky", tool("read_file", { allowed_paths: [outside.path] }));
  const token = "an-api-token-of-this-installation-0123";
  const withToken = (trusted?: "token") =>
    startDaemon({
      agents: {},
      ...(trusted && { runtime: JSON.stringify({ spec: { agents: { trusted_senders: trusted } } }) }),
      configure: (config) => ({ ...config, access: { ...config.access, apiToken: token } }),
    });
  const send = (to: TestDaemon, authorization: string) =>
    to.call("POST", "/v1/agents", { body: risky(), headers: { authorization } });

  test("a holder of the API token only where the operator says so; otherwise 400", async () => {
    await using usual = await withToken();
    expect((await send(usual, `Bearer ${token}`)).status).toBe(400);
    expect((await usual.asOwner("POST", "/v1/agents", { body: risky() })).status).toBe(201);
    await using trusting = await withToken("token");
    expect((await send(trusting, "Bearer another-token")).status).toBe(400);
    expect((await send(trusting, `Bearer ${token}`)).status).toBe(201);
  });
});

describe("secrets of a stranger's manifest", () => {
  const words = "The order of Ada Lovelace";
  const random = "x7Kq9ZtPw3Lm8RvB";
  const named = (name: string, secret: string) =>
    agentFile(name, {
      ...tool("send_email", {
        smtp_host: "mail.example.com",
        smtp_user: "ada",
        smtp_password: secret,
        from_address: "ada@example.com",
      }),
      prompts: { system: "You help." },
    });

  test("mask no words of anyone else's answers, conversations and logs", async () => {
    await using world = await startDaemon({ models: { lab: [{ text: `${words} is on its way.` }] } });
    expect((await world.call("PUT", "/v1/agents/mute", { body: named("mute", words) })).status).toBe(201);
    const hook = mcp({
      transport: "http",
      url: "https://mcp.example.com/",
      headers: { token: "is on its way." },
    });
    expect((await world.call("PUT", "/v1/agents/mute2", { body: agentFile("mute2", hook) })).status).toBe(
      201,
    );
    const shelf = pipelineFile("shelf", {
      vector_store: { backend: "qdrant", url: "https://qdrant.example.com/", api_key: words },
    });
    const put = await world.call("PUT", "/v1/rag/pipelines/shelf", { body: shelf });
    if (put.status === 201) expect(put.text).not.toContain(words);
    await world.run("helper", { query: words, session_id: "s1" });
    const history = await world.call("GET", "/v1/memory/helper/history/s1");
    expect(history.text).toContain(`${words} is on its way.`);
    expect(history.text).not.toContain("redacted");
    expect(world.config.knownSecrets.mask(`${words} is on its way.`)).toBe(`${words} is on its way.`);
  });

  test("are masked in what everyone reads of it, and in its own runs", async () => {
    const calls = { name: "note", arguments: { text: words } };
    await using world = await startDaemon({ models: { lab: [{ toolCalls: [calls] }, { text: "Done." }] } });
    const sent = await world.call("PUT", "/v1/agents/mute", { body: named("mute", words) });
    expect(sent.status).toBe(201);
    for (const path of [
      "/v1/agents/mute",
      "/v1/agents/mute/manifest",
      "/v1/agents/mute/manifest?format=json",
    ])
      expect((await world.call("GET", path)).text).not.toContain(words);
    const ran = await world.run("mute", { query: "hi", session_id: "s1", record: true });
    const kept = await world.call("GET", `/v1/cassettes/${ran.body.cassette}`);
    expect(kept.status).toBe(200);
    expect(kept.text).not.toContain(words);
  });

  test("are masked in the log when they look random", async () => {
    await using world = await startDaemon();
    await world.call("PUT", "/v1/agents/mute", { body: named("mute", random) });
    expect(world.config.knownSecrets.mask(random)).toBe("[redacted]");
  });
});
