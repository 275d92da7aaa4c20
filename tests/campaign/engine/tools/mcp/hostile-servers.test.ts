import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { BoundTool } from "../../../../../src/engine/tools/bound-tool.ts";
import { executeTool } from "../../../../../src/engine/tools/execute-tool.ts";
import type { McpServer } from "../../../../../src/engine/tools/mcp/mcp-server.ts";
import { memoryPins } from "../../../../../src/engine/tools/mcp/tool-pins.ts";
import type { ToolResult } from "../../../../../src/engine/tools/tool.ts";
import { systemClock } from "../../../../../src/kit/clock.ts";
import { finish } from "../../../../support/at-once.ts";
import type { FakeClock } from "../../../../support/fake-clock.ts";
import { patient, readyTools, stagedServer, stageServers, until } from "../../../../support/mcp-servers.ts";
import { processorMs } from "../../../../support/processor-time.ts";
import { toolContext } from "../../../../support/tool-context.ts";

/** Reads an input at once. */
const readBy = (bound: BoundTool | undefined, input: unknown) => bound && finish(bound.read(input));

/** Calls the first tool of a server with this behaviour; the agent's clock does not move. */
async function outcome(behaviour: string, argument = ""): Promise<ToolResult> {
  await using stage = stageServers();
  const tools = await readyTools(stage, { behaviour, argument });
  const [tool] = tools.values();
  if (tool === undefined) throw new Error("no tool");
  return await executeTool(tool, { text: "hi" }, toolContext({ clock: stage.clock }));
}

const failure = (error: RegExp) => ({ success: false as const, error: expect.stringMatching(error) });

test("a good server answers", async () => {
  expect(await outcome("plain")).toEqual({ success: true, data: "hi" });
});

describe("a call that is answered wrongly is a failed result", () => {
  test.each<[string, string, string, RegExp]>([
    ["a result and an error (mcp_hostile-005)", "both", "", /a result and an error, or neither/],
    ["neither", "neither", "", /a result and an error, or neither/],
    ["a result that is a text", "strange-result", "", /a result that is no object/],
    ["content that is a text", "strange-content", "", /no result/],
    ["an error", "error", "The file is locked.", /^lab__echo failed: The file is locked\.$/],
    ["an error without end", "error", "x".repeat(4000), /^lab__echo failed: x{1000}$/],
    ["data of endless depth", "deep", "", /its server ended during the call/],
    ["its death (mcp_hostile-010)", "dies", "", /its server ended during the call/],
    ["a line without end (mcp_hostile-002)", "long-line", "", /its server ended during the call/],
    ["more messages than can be read", "flood", "", /its server ended during the call/],
  ])("%s", async (_, behaviour, argument, error) => {
    expect(await outcome(behaviour, argument)).toEqual(failure(error));
  });
});

describe("a call that is answered rightly among other things is answered", () => {
  test.each([
    ["wrong-id", "right"],
    ["garbage", "after the garbage"],
    ["twice", "first"],
    ["babbles", "hi"],
  ])("%s (mcp_hostile-003)", async (behaviour, data) => {
    expect(await outcome(behaviour)).toEqual({ success: true, data });
  });
});

describe("a server that asks us for something is refused (mcp_hostile-029, 030)", () => {
  test.each(["roots/list", "sampling/createMessage", "tasks/list", "constructor"])("%s", async (method) => {
    const result = await outcome("asks", method);
    expect(JSON.parse(String(result.success && result.data))).toMatchObject({
      id: "mine",
      error: { code: -32601 },
    });
  });

  test("a question is dismissed where no person can answer", async () => {
    const result = await outcome("asks", "elicitation/create");
    expect(JSON.parse(String(result.success && result.data))).toMatchObject({
      id: "mine",
      result: { action: "cancel" },
    });
  });

  test("a ping is answered", async () => {
    const result = await outcome("asks", "ping");
    expect(JSON.parse(String(result.success && result.data))).toMatchObject({ id: "mine", result: {} });
  });
});

describe("a server that does not begin", () => {
  test.each([
    ["exits", "it ended with status 3"],
    ["old", expect.stringMatching(/^it speaks MCP 1999-01-01, and Argosy speaks 20/)],
    ["refuses", "it refused to begin"],
  ])("%s is down, and says why", async (behaviour, fault) => {
    await using stage = stageServers();
    const server = await stage.started(stagedServer(behaviour));
    expect(server.status()).toMatchObject({ state: "down", fault });
  });

  test.each([
    [{ command: "no-such-program", args: [] }, "its command was not found"],
    [{ command: "/etc/passwd", args: [] }, "its command was not found"],
    [{ command: "/", args: [] }, "its command was not found"],
  ])("%j is down, and says why", async (command, fault) => {
    await using stage = stageServers();
    const server = await stage.started({ ...stagedServer("plain"), ...command } as never);
    expect(server.status()).toMatchObject({ state: "down", fault });
  });

  test("a server that never answers is awaited for 10 s, and closed after a minute; others start meanwhile (mcp_hostile-007)", async () => {
    await using stage = stageServers();
    const mute = stage.server(stagedServer("mute"));
    const waiting = mute.ready();
    const other = await stage.started(stagedServer("plain"));
    expect(other.status().state).toBe("ready");
    await stage.clock.advance(10_000);
    await waiting;
    expect(mute.status().state).toBe("starting");
    expect(mute.ready()).toBeUndefined();
    await stage.clock.advance(50_000);
    await until(() => mute.status().state === "down");
    expect(mute.status().fault).toBe("it did not answer in time");
  });

  test("a server that never lists its tools is closed after a minute", async () => {
    await using stage = stageServers();
    const server = stage.server(stagedServer("slow-list"));
    const waiting = server.ready();
    await stage.clock.advance(60_000);
    await waiting;
    await until(() => server.status().state === "down");
    expect(server.status().fault).toBe("it did not answer in time");
  });

  test("a call waits for a server that died, up to two seconds; after its third death calls fail at once", async () => {
    await using stage = stageServers();
    const tools = await readyTools(stage, { behaviour: "dies" });
    const [tool] = tools.values();
    if (tool === undefined) throw new Error("no tool");
    const call = () => executeTool(tool, { text: "hi" }, toolContext({ clock: stage.clock }));
    expect(await call()).toEqual(failure(/ended during the call/));
    for (const waitMs of [1000, 2000]) {
      const waiting = call();
      await stage.clock.advance(waitMs);
      expect(await waiting).toEqual(failure(/ended during the call/));
    }
    expect(await call()).toEqual(failure(/its server is not available now/));
    await stage.clock.advance(5000);
    expect(await call()).toEqual(failure(/ended during the call/));
  });
});

test("a program that may not run is not started, and the server is down with the reason until it may", async () => {
  let refusal: string | undefined = "the workspace is not trusted";
  await using stage = stageServers({ refusal: () => refusal });
  const server = await stage.started(stagedServer("plain"));
  expect(server.status()).toMatchObject({ state: "down", fault: refusal, tools: 0 });
  refusal = undefined;
  await stage.clock.advance(1000);
  await server.ready();
  expect(server.status().state).toBe("ready");
});

test("a process that spins after its start is unresponsive, killed and started again", async () => {
  await using stage = stageServers();
  const server = await stage.started(stagedServer("spins"));
  expect(server.status().state).toBe("ready");
  await stage.clock.advance(15_000);
  await stage.clock.advance(10_000);
  await until(() => server.status().state === "down");
  expect(server.status().fault).toBe("it is unresponsive: it did not answer a ping within 10 seconds");
  await stage.clock.advance(1000);
  await server.ready();
  expect(server.status().state).toBe("ready");
});

describe("a silent server", () => {
  test("fails the call at the entry's time-out and gets a cancellation (mcp_hostile-008)", async () => {
    await using stage = stageServers();
    const tools = await readyTools(stage, { behaviour: "cancellable" });
    const tool = tools.get("lab__echo");
    if (tool === undefined) throw new Error("no tool");
    const result = executeTool(tool, { text: "hi" }, toolContext({ clock: stage.clock }));
    await stage.clock.advance(30_000);
    expect(await result).toEqual(failure(/silent for 30 seconds/));
    const server = stage.server(stagedServer("cancellable"));
    const told = await server.call(
      "cancelled",
      {},
      { signal: new AbortController().signal, progress: () => {} },
    );
    expect(told).toMatchObject({ content: [{ text: expect.stringMatching(/^\[\d+\]$/) }] });
  });

  test("has more time when it tells of progress, but not without end", async () => {
    await using stage = stageServers();
    const heard = Promise.withResolvers<void>();
    const server = await stage.started(stagedServer("progress"));
    const cancel = new AbortController();
    const call = server.call("echo", {}, { signal: cancel.signal, progress: () => heard.resolve() });
    await heard.promise;
    cancel.abort("enough");
    await expect(call).rejects.toThrow();
    const tools = await readyTools(stage, { behaviour: "progress" });
    expect(tools.get("lab__echo")?.timeoutMs).toBe(300_000);
  });

  test("a run that is cancelled does not wait for it", async () => {
    await using stage = stageServers();
    const tools = await readyTools(stage, { behaviour: "silent-call" });
    const [tool] = tools.values();
    if (tool === undefined) throw new Error("no tool");
    const cancel = new AbortController();
    const result = executeTool(
      tool,
      { text: "hi" },
      toolContext({ clock: stage.clock, signal: cancel.signal }),
    );
    cancel.abort(new Error("The user left."));
    expect(await result).toEqual(failure(/the run has ended/));
  });
});

const contentOf = (result: object) => (result as { content: [{ text: string }] }).content;

describe("limits of a server that is a process", () => {
  test("it has no variable but PATH and those declared (mcp_hostile-017)", async () => {
    await using stage = stageServers();
    process.env.MCP_CANARY = "canary-of-the-environment";
    const server = await stage.started({ ...stagedServer("environment"), env: { DECLARED: "yes" } } as never);
    const [{ text }] = contentOf(await server.call("echo", {}, patient()));
    expect(Object.keys(JSON.parse(text)).sort()).toEqual(["DECLARED", "PATH"]);
  });

  test("it inherits no descriptor (mcp_hostile-016)", async () => {
    const one = await outcome("descriptors");
    await using stage = stageServers();
    for (let other = 0; other < 5; other++) await stage.started(stagedServer("plain", String(other)));
    const server = await stage.started(stagedServer("descriptors"));
    const [{ text }] = contentOf(await server.call("echo", {}, patient()));
    expect(one).toEqual({ success: true, data: text });
  });

  test("it can't open 100,000 files (mcp_hostile-016)", async () => {
    const result = await outcome("files");
    expect(Number(result.success && result.data)).toBeLessThan(5000);
  });

  test("it is ended when it has more memory than it may (mcp_hostile-015)", async () => {
    await using stage = stageServers();
    const server = await stage.started(stagedServer("memory", "", 512));
    const before = process.memoryUsage().rss;
    await expect(server.call("echo", {}, patient())).rejects.toThrow();
    expect(server.status().fault).toBe("it used more than 512 MiB of memory and was stopped");
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
  });

  test("one that does not read what it is sent is ended", async () => {
    await using stage = stageServers();
    const server = await stage.started(stagedServer("deaf"));
    const text = "x".repeat(1024 ** 2);
    const calls = Array.from({ length: 8 }, () =>
      server.call("echo", { text }, patient()).catch(() => "failed"),
    );
    expect(await Promise.all(calls)).toEqual(Array(8).fill("failed"));
    expect(server.status().fault).toBe("it does not read what it is sent and was stopped");
  });

  const seconds = (behaviour: string) => String((behaviour === "forks" ? 30_000 : 40_000) + process.pid);

  test.each(["forks", "stubborn"])(
    "%s: nothing is left of it when it is closed (mcp_hostile-011, 012)",
    async (behaviour) => {
      const asleep = seconds(behaviour);
      const stage = stageServers();
      const server = await stage.started(stagedServer(behaviour, asleep));
      expect(server.status().state).toBe("ready");
      // Processes may take a moment to begin and to disappear; if one doesn't, the test's own limit applies.
      const moment = () => new Promise<void>((resolve) => systemClock.timer(10, resolve));
      while (processesWith(asleep) < 4) await moment();
      await stage.servers.close();
      while (processesWith(asleep) > 0) await moment();
    },
  );
});

describe("a list of tools", () => {
  test("is read page by page", async () => {
    await using stage = stageServers();
    const server = await stage.started(stagedServer("pages"));
    expect(server.listed.tools.map(({ name }) => name)).toEqual(["echo", "second"]);
  });

  test.each([
    ["endless-pages", "", 200],
    ["circular-pages", "", 2],
    ["many", "10000", 2000],
  ])("%s ends (mcp_hostile-021)", async (behaviour, argument, read) => {
    await using stage = stageServers();
    const server = await stage.started(stagedServer(behaviour, argument));
    expect(server.listed).toMatchObject({ isCut: true });
    expect(server.listed.tools).toHaveLength(read);
  });

  test("that is none is an empty one", async () => {
    await using stage = stageServers();
    expect((await stage.started(stagedServer("no-list"))).status()).toMatchObject({
      state: "ready",
      tools: 0,
    });
    expect((await stage.started(stagedServer("toolless"))).status()).toMatchObject({
      state: "ready",
      tools: 0,
    });
  });

  test("that floods an agent gives it the first 128 (mcp_hostile-021)", async () => {
    await using stage = stageServers();
    expect((await readyTools(stage, { behaviour: "many", argument: "1000" })).size).toBe(128);
  });

  test("with names that are odd, clash or are ours makes names that models take", async () => {
    await using stage = stageServers();
    const names = [
      "a.b",
      "a b",
      "a_b",
      "a_b",
      "../x",
      "constructor",
      "__proto__",
      "ß",
      "run",
      "n".repeat(100),
    ];
    const argument = JSON.stringify(names.map((name) => ({ name, inputSchema: { type: "object" } })));
    const tools = await readyTools(stage, { behaviour: "tools", argument });
    expect(tools.size).toBe(9);
    for (const [name, { tool }] of tools) {
      expect(name).toMatch(/^lab__[A-Za-z0-9_-]{1,59}$/);
      expect(tool.name).toBe(name);
    }
  });

  test("a schema whose check would take too long is not checked by us", async () => {
    await using stage = stageServers();
    const properties = { text: { type: "string", pattern: "^(a+)+$" } };
    const argument = JSON.stringify([{ name: "slow", inputSchema: { type: "object", properties } }]);
    const tools = await readyTools(stage, { behaviour: "tools", argument });
    let read: unknown;
    const tookMs = processorMs(() => {
      read = readBy(tools.get("lab__slow"), { text: `${"a".repeat(50_000)}!` });
    });
    expect(read).toBeDefined();
    expect(tookMs).toBeLessThan(2000);
  });

  test("is what inputs are checked by", async () => {
    await using stage = stageServers();
    const tools = await readyTools(stage, { behaviour: "plain" });
    expect(readBy(tools.get("lab__echo"), { text: 7 })).toEqual({ fault: expect.stringMatching(/text/) });
    expect(readBy(tools.get("lab__echo"), { text: "hi" })).toEqual({ input: { text: "hi" } });
  });
});

describe("tools that change", () => {
  test("are listed again once, and the log names the changes (mcp_hostile-022, 023)", async () => {
    await using stage = stageServers();
    const server = await stage.started(stagedServer("changing"));
    expect(server.listed.tools.map(({ description }) => description)).toEqual(["Says it again."]);
    await listedAnew(stage.clock, server);
    expect(server.listed.tools.map(({ name }) => name)).toEqual(["echo", "late"]);
    expect(server.status().changed).toEqual({ added: ["late"], changed: ["echo"], removed: [] });
    const told = stage.logged.filter(({ event }) => event === "mcp.tools_changed");
    expect(told).toMatchObject([{ level: "warn", fields: { added: ["late"], changed: ["echo"] } }]);
  });

  test("are reported also if an earlier process saw the server", async () => {
    const pins = memoryPins();
    const address = stagedServer("changing");
    {
      await using before = stageServers({ pins });
      const server = await before.started(address);
      await listedAnew(before.clock, server);
    }
    await using stage = stageServers({ pins });
    const server = await stage.started(address);
    expect(server.status().changed).toEqual({ added: [], changed: ["echo"], removed: ["late"] });
  });

  test("that an entry pins are not offered once they are others", async () => {
    await using stage = stageServers();
    const first = await readyTools(stage, { behaviour: "plain" });
    expect(first.size).toBe(1);
    const pinned = await readyTools(stage, {
      behaviour: "plain",
      config: { tools_hash: "0123456789abcdef" },
    });
    expect(pinned.size).toBe(0);
  });
});

/** Resolves once a server that announced a changed list of tools was asked for it. */
async function listedAnew(clock: FakeClock, server: McpServer): Promise<void> {
  // The next ping is one timer; the server's announcement starts the other.
  await until(() => clock.pending > 1);
  await clock.advance(300);
  await until(() => server.status().changed !== undefined);
}

function processesWith(argument: string): number {
  if (!existsSync("/proc")) return 0;
  const { stdout } = Bun.spawnSync(["pgrep", "-fc", argument]);
  return Number(stdout.toString());
}
