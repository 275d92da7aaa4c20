import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BoundTool } from "../../../../../src/engine/tools/bound-tool.ts";
import { executeTool } from "../../../../../src/engine/tools/execute-tool.ts";
import { modules, stageServers, startRemote, toolsOf } from "../../../../support/mcp-servers.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";
import { toolContext } from "../../../../support/tool-context.ts";

const program = (server: string) => join(modules, `@modelcontextprotocol/server-${server}/dist/index.js`);
const stdio = (server: string, ...args: string[]) => ({
  transport: "stdio",
  command: process.execPath,
  args: [program(server), ...args],
});

async function call(
  tools: ReadonlyMap<string, BoundTool>,
  name: string,
  input: object,
  signal?: AbortSignal,
) {
  const tool = tools.get(`lab__${name}`);
  if (tool === undefined) throw new Error(`no ${name} among ${[...tools.keys()]}`);
  return await executeTool(
    tool,
    input as Record<string, unknown>,
    toolContext(signal === undefined ? {} : { signal }),
  );
}

/** Checks that hold for every transport to the same server. */
async function exercise(tools: ReadonlyMap<string, BoundTool>): Promise<void> {
  expect([...tools.keys()]).toContain("lab__get-tiny-image");
  expect(await call(tools, "echo", { message: "hello" })).toEqual({ success: true, data: "Echo: hello" });
  expect(await call(tools, "get-sum", { a: 2, b: 40 })).toEqual({
    success: true,
    data: "The sum of 2 and 40 is 42.",
  });
  expect(await call(tools, "get-structured-content", { location: "Chicago" })).toEqual({
    success: true,
    data: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 },
  });
  expect(await call(tools, "get-tiny-image", {})).toMatchObject({
    success: true,
    data: expect.stringContaining("[an image (image/png) of"),
  });
  expect(await call(tools, "get-resource-links", { count: 1 })).toMatchObject({
    success: true,
    data: expect.stringContaining("[a link to"),
  });
  expect(await call(tools, "get-sum", { a: "two", b: 40 })).toMatchObject({ success: false });
  const slow = { duration: 0.4, steps: 4 };
  expect(await call(tools, "trigger-long-running-operation", slow)).toMatchObject({ success: true });
  const cancel = new AbortController();
  const cancelled = call(
    tools,
    "trigger-long-running-operation",
    { duration: 60, steps: 600 },
    cancel.signal,
  );
  await call(tools, "echo", { message: "beside it" });
  cancel.abort(new Error("The user left."));
  expect(await cancelled).toMatchObject({ success: false, error: expect.stringContaining("was stopped") });
  expect(await call(tools, "echo", { message: "after it" })).toMatchObject({ success: true });
}

describe("server-everything", () => {
  test("over stdio", async () => {
    await using stage = stageServers();
    await exercise(await toolsOf(stage, stdio("everything")));
  });

  test.each([
    ["sse", "sse", "/sse"],
    ["http", "streamableHttp", "/mcp"],
  ])("over %s", async (transport, kind, path) => {
    await using remote = await startRemote(program("everything"), kind);
    await using stage = stageServers();
    const config = { transport, url: `${remote.url}${path}`, allow_localhost: true };
    await exercise(await toolsOf(stage, config));
  });

  test.each([
    ["http", "sse", "/sse"],
    ["sse", "streamableHttp", "/mcp"],
  ])("over the other transport, where %s is configured", async (transport, kind, path) => {
    await using remote = await startRemote(program("everything"), kind);
    await using stage = stageServers();
    const config = { transport, url: `${remote.url}${path}`, allow_localhost: true };
    const tools = await toolsOf(stage, config);
    expect(await call(tools, "echo", { message: "hi" })).toMatchObject({ success: true });
  });

  test("over http, a server that forgot the session gets a new one, and the call is answered", async () => {
    await using remote = await startRemote(program("everything"), "streamableHttp");
    // Without the stream of notifications: losing it during a slow restart would end the session first.
    using withoutStream = Bun.serve({
      port: 0,
      fetch: (request) =>
        request.method === "GET"
          ? new Response(null, { status: 405 })
          : fetch(`${remote.url}/mcp`, {
              method: request.method,
              headers: request.headers,
              body: request.body,
            }),
    });
    await using stage = stageServers();
    const tools = await toolsOf(stage, {
      transport: "http",
      url: new URL("/mcp", withoutStream.url).href,
      allow_localhost: true,
    });
    expect(await call(tools, "echo", { message: "one" })).toMatchObject({ success: true });
    await remote.restart();
    expect(await call(tools, "echo", { message: "two" })).toEqual({ success: true, data: "Echo: two" });
  });

  test("progress is heard", async () => {
    await using stage = stageServers();
    await toolsOf(stage, stdio("everything"));
    const [server] = stage.kept();
    let steps = 0;
    const progress = () => {
      steps++;
    };
    const input = { duration: 0.4, steps: 4 };
    const signal = new AbortController().signal;
    await server?.call("trigger-long-running-operation", input, { signal, progress });
    expect(steps).toBeGreaterThanOrEqual(3);
  });

  test("its environment is what the entry declares", async () => {
    await using stage = stageServers();
    const tools = await toolsOf(stage, { ...stdio("everything"), env: { DECLARED: "yes" } });
    const result = await call(tools, "get-env", {});
    const seen = JSON.parse(String(result.success && result.data));
    expect(Object.keys(seen).sort()).toEqual(["DECLARED", "PATH"]);
  });

  test("two entries that name it in the same way share one process", async () => {
    await using stage = stageServers();
    await toolsOf(stage, stdio("everything"));
    await toolsOf(stage, { ...stdio("everything"), tools: ["echo"] });
    expect(stage.kept()).toHaveLength(1);
  });
});

test("server-filesystem reads and writes where it may", async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "note.txt"), "remember the milk");
  await using stage = stageServers();
  const tools = await toolsOf(stage, stdio("filesystem", folder.path));
  const path = join(folder.path, "note.txt");
  expect(await call(tools, "read_text_file", { path })).toEqual({
    success: true,
    data: { content: "remember the milk" },
  });
  await call(tools, "write_file", { path: join(folder.path, "new.txt"), content: "written" });
  expect(readFileSync(join(folder.path, "new.txt"), "utf8")).toBe("written");
  expect(await call(tools, "read_text_file", { path: "/etc/passwd" })).toMatchObject({ success: false });
});

test("server-memory stores what it receives", async () => {
  using folder = temporaryFolder();
  await using stage = stageServers();
  const env = { MEMORY_FILE_PATH: join(folder.path, "memory.json") };
  const tools = await toolsOf(stage, { ...stdio("memory"), env });
  const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
  expect(await call(tools, "create_entities", { entities })).toMatchObject({ success: true });
  expect(await call(tools, "search_nodes", { query: "tea" })).toEqual({
    success: true,
    data: { entities, relations: [] },
  });
});
