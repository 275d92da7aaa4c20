import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { validateWorkspace } from "../../../../../src/command/validate.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";
import { writeFiles } from "../../../../support/write-files.ts";

const credential = "erp-credential-7f3a9c";
const workspace = temporaryFolder();
const object = { type: "object" };
let daemon: TestDaemon;
let toAsk: Record<string, unknown> = {};

interface Seen {
  path: string;
  headers: Headers;
  body: string;
}
const seen: Seen[] = [];
const elsewhere: Seen[] = [];
const keep = async (list: Seen[], request: Request) => {
  const { pathname, search } = new URL(request.url);
  list.push({ path: pathname + search, headers: request.headers, body: await request.text() });
};
const other = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    await keep(elsewhere, request);
    return new Response("other");
  },
});
const erp: Bun.Server<undefined> = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    await keep(seen, request);
    const { pathname, origin } = new URL(request.url);
    if (pathname.endsWith("/away")) return Response.redirect(`http://127.0.0.1:${other.port}/stolen`);
    if (pathname.endsWith("/moved")) return Response.redirect(`${origin}/api/orders`);
    if (pathname.endsWith("/graphql")) return Response.json({ data: { ok: true } });
    const next = `${origin}/api/orders?page=2`;
    return Response.json({ next, host: new URL(origin).host, echo: request.headers.get("authorization") });
  },
});

const connections = (more = "") =>
  `connections:
  erp: {base_url: "http://127.0.0.1:${erp.port}/api", credential: ${credential}}
  shop: {base_url: "http://127.0.0.1:${erp.port}/api/", credential: ${credential}, header: X-API-Key}
${more}`;

const webhook = (name: string, config: object) => ({ name, type: "webhook", parameters: object, config });
const request = (config: object) => ({ name: "http_request", type: "builtin", config });
const tools = [
  request({ connection: "erp" }),
  { name: "graphql_query", type: "builtin", config: { connection: "erp" } },
  webhook("order", { connection: "erp", url: "/orders", headers: { "X-Trace": "7" } }),
  webhook("root", { connection: "shop", method: "GET" }),
  { ...webhook("proposed", { connection: "erp", url: "/orders" }), mode: "propose" },
];

beforeAll(async () => {
  writeFiles(workspace.path, { "connections.yaml": connections() });
  daemon = await startDaemon({
    workspace: workspace.path,
    ownersToken: true,
    models: {
      lab: ({ body }) => {
        if (body.messages.at(-1)?.role === "tool") return { text: "Done." };
        return { toolCalls: [{ name: "http_request", arguments: toAsk }] };
      },
    },
    agents: {
      "desk.agent.yaml": agentFile("desk", { tools, observability: { record: true } }),
      "lost.agent.yaml": agentFile("lost", { tools: [request({ connection: "crm" })] }),
    },
  });
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await erp.stop(true);
  await other.stop(true);
  workspace[Symbol.dispose]();
});

const execute = async (tool: string, input: object) => {
  const body = { tool, input, agent: "desk" };
  return (await daemon.call("POST", "/v1/tools/execute", { body })).body;
};

test("calls go below the address with the credential, and the caller's own credential is dropped", async () => {
  const headers = { Authorization: "Bearer mine", "X-Own": "1" };
  const { output } = await execute("http_request", { method: "GET", url: "/orders?limit=5", headers });
  expect(output.data).toMatchObject({
    status: 200,
    body: { next: "/orders?page=2", host: "[redacted]", echo: "[redacted]" },
  });
  const { path, headers: sent } = seen.at(-1) as Seen;
  expect([path, sent.get("authorization"), sent.get("x-own")]).toEqual([
    "/api/orders?limit=5",
    `Bearer ${credential}`,
    "1",
  ]);
  expect((await execute("order", { a: 1 })).output.success).toBe(true);
  expect(seen.at(-1)).toMatchObject({ path: "/api/orders", body: '{"a":1}' });
  expect(seen.at(-1)?.headers.get("x-trace")).toBe("7");
  expect((await execute("root", { q: "x" })).output.success).toBe(true);
  expect(seen.at(-1)?.path).toBe("/api/?q=x");
  expect(seen.at(-1)?.headers.get("x-api-key")).toBe(credential);
  expect(seen.at(-1)?.headers.get("authorization")).toBeNull();
  const graphql = await execute("graphql_query", { endpoint: "/graphql", query: "{ ok }" });
  expect(graphql.output.data).toEqual({ data: { ok: true }, errors: [] });
});

test("the tool's description asks the model for paths", async () => {
  const { body } = await daemon.call("GET", "/v1/tools?parameters=true");
  const found = body.tools.find(({ name }: { name: string }) => name === "http_request");
  expect(found.parameters.properties.url.description).toContain("below the service's address");
});

test.each([
  "/../admin",
  "//127.0.0.1/x",
  "/%2e%2e/admin",
  "\\..\\x",
  "https://evil.example/",
  `http://127.0.0.1:${erp.port}/api/orders`,
])("%s is refused and not called", async (url) => {
  const before = seen.length;
  const { output } = await execute("http_request", { method: "GET", url });
  expect(output).toEqual({ success: false, error: expect.stringContaining("below the connection erp") });
  expect(seen).toHaveLength(before);
});

test("a redirect within the address keeps the credential, one to another origin does not get there", async () => {
  const moved = await execute("http_request", { method: "GET", url: "/moved" });
  expect(moved.output.data.url).toBe("/orders");
  expect(seen.at(-1)?.headers.get("authorization")).toBe(`Bearer ${credential}`);
  const away = await execute("http_request", { method: "GET", url: "/away" });
  // The connection's own origin is trusted, another private one is not.
  expect(away.output.success).toBe(false);
  expect(elsewhere).toEqual([]);
});

test("neither the address nor the credential reaches prompts, traces, proposals, logs or recordings", async () => {
  toAsk = { method: "GET", url: "/orders" };
  const run = await daemon.run("desk", { query: "Look.", record: true });
  expect(run.status).toBe(200);
  const proposed = await execute("proposed", {});
  expect(proposed.propuestas).toMatchObject([{ destino: "erp:/orders" }]);
  const trace = await daemon.call("GET", `/v1/traces/${run.body.trace_id}`);
  const cassettes = files(join(workspace.path, ".argosy")).filter((path) => /cassette/.test(path));
  expect(cassettes).not.toEqual([]);
  const written = [
    JSON.stringify(daemon.models.lab.requests),
    trace.text,
    run.text,
    JSON.stringify(proposed),
    ...daemon.logLines(),
    ...cassettes.map((path) => readFileSync(path, "utf8")),
  ];
  for (const text of written) {
    expect(text).not.toContain(credential);
    expect(text).not.toContain(`127.0.0.1:${erp.port}`);
  }
});

const files = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

describe("an agent that names a connection which is not there", () => {
  test("can't be loaded, and is once the file has it", async () => {
    const detail = async () => (await daemon.call("GET", "/v1/agents/lost")).body;
    expect(await detail()).toMatchObject({
      status: "failed",
      error: expect.stringContaining("is not a connection of connections.yaml: crm"),
    });
    const crm = `  crm: {base_url: "http://127.0.0.1:${erp.port}/crm"}`;
    writeFiles(workspace.path, { "connections.yaml": connections(crm) });
    await daemon.clock.advance(2000);
    expect((await detail()).status).toBe("ready");
    writeFiles(workspace.path, { "connections.yaml": "connections: {erp: {base_url: nowhere}}" });
    await daemon.clock.advance(2000);
    expect((await detail()).status).toBe("ready");
    const { body } = await daemon.call("GET", "/v1/system/doctor");
    expect(body.checks.find(({ name }: { name: string }) => name === "connections")).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("connections.yaml:1:"),
    });
    writeFiles(workspace.path, { "connections.yaml": connections() });
    await daemon.clock.advance(2000);
    expect((await detail()).status).toBe("failed");
  });

  test("is found by argosy validate", async () => {
    using folder = temporaryFolder();
    writeFiles(folder.path, {
      "connections.yaml": "connections: {erp: {base_url: https://erp.example}}",
      "agents/lost.agent.yaml": agentFile("lost", {
        model: { primary: { provider: "rehearsal", model: "rehearsal" } },
        tools: [request({ connection: "crm" }), webhook("out", { connection: "erp", url: "/%2e%2e/x" })],
      }),
    });
    const problems = (await validateWorkspace({ workspace: folder.path }, [])).flatMap(
      (file) => file.problems,
    );
    expect(problems.map(({ path }) => path)).toEqual([
      "spec.tools[1].config.url",
      "spec.tools[0].config.connection",
    ]);
    rmSync(join(folder.path, "connections.yaml"));
  });
});

test("a connection that a stranger names is 400", async () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, { "connections.yaml": connections() });
  await using open = await startDaemon({ workspace: folder.path });
  const own = ["http_request", "graphql_query"].map((name) => ({ ...request({ connection: "erp" }), name }));
  const sent = agentFile("sent", { tools: [...own, webhook("out", { connection: "erp", url: "/orders" })] });
  const { status, body } = await open.call("POST", "/v1/agents", { body: sent });
  expect(status).toBe(400);
  const paths = body.problems
    .filter(({ message }: { message: string }) => message.includes("a credential of this installation"))
    .map(({ path }: { path: string }) => path);
  expect(paths).toEqual([0, 1, 2].map((index) => `spec.tools[${index}].config.connection`));
  expect((await open.asOwner("POST", "/v1/agents", { body: sent })).status).toBe(201);
});

test.each([
  ["connections: {erp: {base_url: https://a:b@erp.example}}", "user name"],
  ["connections: {erp: {base_url: https://erp.example/?key=1}}", "query"],
  ["connections: {erp: {credential: x}}", "base_url"],
  ["connections: {erp: {base_url: https://erp.example, header: X-Key}}", "credential"],
  ['connections: {erp: {base_url: https://erp.example, credential: "a\\nb"}}', "line breaks"],
  ["connections: [", "connections.yaml"],
])("a broken file refuses the start: %s", async (text, words) => {
  using folder = temporaryFolder();
  writeFiles(folder.path, { "connections.yaml": text });
  const started = await startDaemon({ workspace: folder.path }).then(
    () => "started",
    (thrown: Error) => thrown.message,
  );
  expect(started).toContain("connections.yaml:1:");
  expect(started).toContain(words);
});
