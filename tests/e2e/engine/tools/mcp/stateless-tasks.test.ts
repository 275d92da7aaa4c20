import { describe, expect, test } from "bun:test";
import type { ToolResult } from "../../../../../src/engine/tools/tool.ts";
import { settle } from "../../../../support/fake-clock.ts";
import { patient, stageServers, until } from "../../../../support/mcp-servers.ts";
import {
  callFirst,
  complete,
  localServer,
  metaOf,
  type Staged,
  startStatelessServer,
} from "../../../../support/stateless-mcp-server.ts";

describe("tasks", () => {
  const task = (status: string, more: object = {}) => ({
    taskId: "t-1",
    status,
    createdAt: "2026-07-28T00:00:00Z",
    lastUpdatedAt: "2026-07-28T00:00:00Z",
    ttlMs: null,
    pollIntervalMs: 1000,
    ...more,
  });
  const begun: Staged = () => ({ resultType: "task", ...task("working") });

  /** Calls a tool that becomes a task, whose states come one after the other. */
  async function finish(...states: object[]) {
    let polls = 0;
    await using server = startStatelessServer({
      "tools/call": begun,
      "tasks/get": () => complete(states[Math.min(polls++, states.length - 1)] ?? {}),
      "tasks/cancel": () => complete({}),
    });
    await using stage = stageServers();
    const call = callFirst(stage, server.url);
    let result: ToolResult | undefined;
    void call.then((ended) => {
      result = ended;
    });
    await until(() => result !== undefined || polls > 0);
    while (result === undefined) {
      const before = polls;
      await stage.clock.advance(1000);
      // The next poll is timed when the answer to the last one has come. If that was after the advance, the clock goes on once more.
      for (let turn = 0; turn < 2000 && result === undefined && polls === before; turn++) await settle();
    }
    return { result, calls: server.calls };
  }

  test("a call that becomes a task is polled as often as the server asks, until it has ended", async () => {
    const done = task("completed", { result: { content: [{ type: "text", text: "done" }] } });
    const { result, calls } = await finish(
      task("working", { statusMessage: "Half." }),
      task("working"),
      done,
    );
    expect(result).toEqual({ success: true, data: "done" });
    const polls = calls.filter(({ method }) => method === "tasks/get");
    expect(polls).toHaveLength(3);
    expect(polls[0]?.params.taskId).toBe("t-1");
    expect(polls[0]?.headers.get("mcp-name")).toBe("t-1");
    expect(metaOf(polls[0]?.params ?? {})).toMatchObject({
      "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
    });
  });

  test.each<[object, RegExp]>([
    [task("failed", { error: { code: -32_603, message: "It broke." } }), /It broke\./],
    [task("failed"), /without saying why/],
    [task("cancelled"), /cancelled the task/],
    [task("dancing"), /no known status/],
    [task("completed"), /no known status/],
    [{}, /no known status/],
    [task("input_required", { inputRequests: { q: { method: "elicitation/create" } } }), /can't be given/],
  ])("a task %j is a failed result", async (state, error) => {
    expect((await finish(state)).result).toEqual({ success: false, error: expect.stringMatching(error) });
  });

  test("a call that is cancelled cancels its task", async () => {
    await using server = startStatelessServer({
      "tools/call": begun,
      "tasks/get": () => complete(task("working")),
      "tasks/cancel": () => complete({}),
    });
    await using stage = stageServers();
    const started = await stage.started(localServer(server.url));
    const stop = new AbortController();
    const call = started.call("echo", {}, { ...patient(), signal: stop.signal });
    await until(() => server.calls.some(({ method }) => method === "tasks/get"));
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await until(() => server.calls.some(({ method }) => method === "tasks/cancel"));
    expect(server.calls.at(-1)?.params.taskId).toBe("t-1");
  });
});
