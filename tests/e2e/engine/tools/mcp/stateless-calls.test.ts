import { describe, expect, test } from "bun:test";
import type { ToolProgress } from "../../../../../src/engine/tools/tool.ts";
import { patient, stageServers, until } from "../../../../support/mcp-servers.ts";
import {
  callFirst,
  eventsWith,
  localServer,
  metaOf,
  rpcError,
  type Staged,
  startStatelessServer,
  textResult,
} from "../../../../support/stateless-mcp-server.ts";

describe("what a call brings", () => {
  const outcomeOf = async (call: Staged) => {
    await using server = startStatelessServer({ "tools/call": call });
    await using stage = stageServers();
    return { result: await callFirst(stage, server.url), calls: server.calls };
  };
  const good: [string, Staged][] = [
    ["one JSON answer", () => textResult("fine")],
    ["a result of no type", () => ({ content: [{ type: "text", text: "fine" }] })],
    ["an answer among events", ({ id }) => eventsWith([{ jsonrpc: "2.0", id, result: textResult("fine") }])],
    [
      "a stream that stays open",
      ({ id }) => eventsWith([{ jsonrpc: "2.0", id, result: textResult("fine") }], true),
    ],
    [
      "an answer twice",
      ({ id }) =>
        eventsWith([
          { jsonrpc: "2.0", id, result: textResult("fine") },
          { jsonrpc: "2.0", id, result: textResult("again") },
        ]),
    ],
    [
      "answers to others, and requests of the server",
      ({ id }) =>
        eventsWith([
          { jsonrpc: "2.0", id: 1, result: textResult("for nobody") },
          { jsonrpc: "2.0", id: "constructor", result: textResult("for nobody") },
          { jsonrpc: "2.0", id: 5, method: "sampling/createMessage", params: {} },
          { jsonrpc: "2.0", id, result: textResult("fine") },
        ]),
    ],
  ];
  test.each(good)("%s is the result", async (_, call) => {
    expect((await outcomeOf(call)).result).toEqual({ success: true, data: "fine" });
  });

  const bad: [string, Staged, RegExp][] = [
    ["an error", ({ id }) => rpcError(id, -32_602), /^lab__echo failed: No\.$/],
    ["an error without the id", () => rpcError(null, -32_603, 500), /failed: No\./],
    ["a result of an unknown type", () => ({ resultType: "surprise" }), /result of an unknown type/],
    ["a question that can't be asked", () => asking({}), /asks for input that can't be given/],
    ["a question about nothing", () => ({ resultType: "input_required" }), /asks for nothing/],
    ["a task without id", () => ({ resultType: "task", status: "working" }), /task that has no id/],
    ["no answer in its stream", () => eventsWith([]), /ended before the result/],
    ["another request's id", () => Response.json({ jsonrpc: "2.0", id: 3, result: {} }), /no usable answer/],
    ["a result and an error", ({ id }) => both(id), /a result and an error/],
    [
      "no JSON",
      () => new Response("{", { headers: { "content-type": "application/json" } }),
      /no usable answer/,
    ],
    [
      "a web page",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      /no usable answer/,
    ],
    ["more than 4 MiB", ({ id }) => sized(id, 5), /more than 4 MiB/],
    ["an event of more than 4 MiB", ({ id }) => eventsWith([largeAnswer(id, 5)]), /more than 4 MiB/],
    ["more values than can be read", ({ id }) => manyValues(id), /more than 200000 values/],
    ["a nest without end", ({ id }) => deep(id), /no usable answer|failed/],
  ];
  test.each(bad)("%s is a failed result", async (_, call, error) => {
    expect((await outcomeOf(call)).result).toEqual({ success: false, error: expect.stringMatching(error) });
  });

  test("more messages than can be read end the connection", async () => {
    const chatter = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } };
    const { result } = await outcomeOf(({ id }) =>
      eventsWith([
        ...Array.from({ length: 3000 }, () => chatter),
        { jsonrpc: "2.0", id, result: textResult("fine") },
      ]),
    );
    expect(result).toEqual({ success: false, error: expect.stringContaining("ended during the call") });
  });

  test("state without a question is sent back as it came, with a new id, at most ten times", async () => {
    let round = 0;
    const state = '{"a": "é\\u0000"}';
    const { result, calls } = await outcomeOf(({ params }) =>
      round++ === 0
        ? { resultType: "input_required", requestState: state }
        : textResult(String(params.requestState)),
    );
    expect(result).toEqual({ success: true, data: state });
    const [first, second] = calls.filter(({ method }) => method === "tools/call");
    expect(first?.id).not.toBe(second?.id as number);
    expect(first?.params).not.toHaveProperty("requestState");
    const endless = await outcomeOf(() => ({ resultType: "input_required", requestState: "again" }));
    expect(endless.result).toEqual({ success: false, error: expect.stringContaining("10 rounds") });
    expect(endless.calls.filter(({ method }) => method === "tools/call")).toHaveLength(10);
  });

  test("progress is passed on, that of other requests is not", async () => {
    await using server = startStatelessServer({
      "tools/call": ({ id, params }) => {
        const tell = (progressToken: unknown, progress: unknown) => ({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress, total: 2, message: "Page" },
        });
        const { progressToken } = metaOf(params);
        return eventsWith([
          tell(progressToken, 1),
          tell("constructor", 7),
          tell(progressToken, "many"),
          tell(progressToken, 2),
          { jsonrpc: "2.0", id, result: textResult("fine") },
        ]);
      },
    });
    await using stage = stageServers();
    const told: ToolProgress[] = [];
    await callFirst(stage, server.url, {}, (one) => void told.push(one));
    expect(told.map(({ done, total, message }) => [done, total, message])).toEqual([
      [1, 2, "Page"],
      [2, 2, "Page"],
    ]);
  });

  test("a cancelled call closes its answer, and the next one is answered", async () => {
    const left = Promise.withResolvers<void>();
    let calls = 0;
    await using server = startStatelessServer({
      "tools/call": ({ signal }) => {
        if (calls++ > 0) return textResult("fine");
        signal.addEventListener("abort", () => left.resolve());
        return new Promise<Response>(() => {});
      },
    });
    await using stage = stageServers();
    const started = await stage.started(localServer(server.url));
    const stop = new AbortController();
    const call = started.call("echo", {}, { ...patient(), signal: stop.signal });
    await until(() => calls === 1);
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await left.promise;
    expect(await started.call("echo", {}, patient())).toMatchObject({ content: [{ text: "fine" }] });
    expect(server.calls.some(({ method }) => method === "notifications/cancelled")).toBe(false);
  });
});

const asking = (more: object) => ({
  resultType: "input_required",
  inputRequests: { name: { method: "elicitation/create", params: { message: "Who?", requestedSchema: {} } } },
  ...more,
});
const both = (id: number) =>
  Response.json({ jsonrpc: "2.0", id, result: {}, error: { code: 1, message: "not fine" } });
const largeAnswer = (id: number, mib: number) => ({
  jsonrpc: "2.0",
  id,
  result: textResult("x".repeat(mib * 1024 * 1024)),
});
const sized = (id: number, mib: number) => Response.json(largeAnswer(id, mib));
const manyValues = (id: number) =>
  Response.json({ jsonrpc: "2.0", id, result: { content: Array.from({ length: 300_000 }, () => 1) } });
const deep = (id: number) =>
  new Response(`{"jsonrpc":"2.0","id":${id},"result":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, {
    headers: { "content-type": "application/json" },
  });
