import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { runCommandLine } from "../../../src/cli/command-line.ts";
import type { RunRequest, StreamFrame, Trace } from "../../../src/contracts/daemon/runs/run.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import {
  daemonParts,
  doneFrame,
  framesOf,
  metadata,
  notFound,
  recordingShell,
  say,
  usage,
} from "../recording-shell.ts";

const token = (content: string): StreamFrame => ({ type: "token", content });
const answering = (...frames: StreamFrame[]) => daemonParts({ stream: framesOf(...frames) });

const result = {
  agent: "support",
  session_id: "s1",
  response: "It is noon.",
  tool_calls: [],
  usage,
  timing: { total_ms: 12, model_ms: 10, tool_ms: 1 },
  model: "rehearsal",
  provider: "rehearsal",
  metadata,
  trace_id: "t1",
};

const trace: Trace = {
  trace_id: "t1",
  agent: "support",
  session_id: "s1",
  status: "OK",
  start_time: "2026-01-01T00:00:00.000Z",
  duration_ms: 12.4,
  spans: [
    {
      name: "agent.run",
      span_id: "1",
      start_time: "2026-01-01T00:00:00.000Z",
      end_time: "2026-01-01T00:00:00.012Z",
      duration_ms: 12.4,
      attributes: { agent: "support" },
      status: "OK",
    },
  ],
};

test("the answer goes to stdout as it comes, and nothing else does", async () => {
  const frames = [
    token("It is "),
    { type: "tool_call", id: "1", tool: "datetime_now", input: { timezone: "Asia/Tokyo" } } as const,
    { type: "tool_result", id: "1", tool: "datetime_now", ok: true, output: { success: true } } as const,
    token("noon."),
    doneFrame("It is noon.", { simulated: true }),
  ];
  const piped = await say(["run", "support", "what", "time?"], { parts: answering(...frames) });
  expect(piped).toEqual({
    code: 0,
    stdout: "It is noon.\n",
    stderr: "simulated: no model was called\n",
  });
  const shown = await say(["run", "support", "time?", "--no-color"], {
    parts: answering(...frames),
    terminal: true,
    columns: 200,
  });
  expect(shown.stderr).toContain('→ datetime_now {"timezone":"Asia/Tokyo"}');
  expect(shown.stderr).toContain("← datetime_now");
  expect(shown.stderr).toContain("session s1");
});

test("a tool's line is cut to the terminal", async () => {
  const call: StreamFrame = { type: "tool_call", id: "1", tool: "t", input: { text: "界".repeat(100) } };
  const said = await say(["run", "a", "q", "--no-color"], {
    parts: answering(call, doneFrame("")),
    terminal: true,
    columns: 40,
  });
  const line = said.stderr.split("\n")[0] ?? "";
  expect(line).toEndWith("…");
  expect(Bun.stringWidth(line)).toBeLessThanOrEqual(40);
});

describe("what a model wrote", () => {
  const hostile = "a\u001b[2Jb\u009b1mc\r\nd\te\u0007";
  test("is made harmless on a terminal", async () => {
    const said = await say(["run", "a", "q"], {
      parts: answering(token(hostile), doneFrame(hostile)),
      terminal: true,
    });
    expect(said.stdout).toBe("a\\u001b[2Jb\\u009b1mc\nd\te\\u0007\n");
  });
  test("is data everywhere else", async () => {
    const said = await say(["run", "a", "q"], { parts: answering(token(hostile), doneFrame(hostile)) });
    expect(said.stdout).toBe(`${hostile}\n`);
  });
});

describe("the query", () => {
  const asking = async (args: string[], stdin?: string) => {
    const requests: RunRequest[] = [];
    const parts = daemonParts({
      stream: async function* (_agent, request) {
        requests.push(request);
        yield doneFrame("");
      },
    });
    const said = await say(["run", "a", ...args], { parts, ...(stdin === undefined ? {} : { stdin }) });
    return { ...said, request: requests[0] };
  };

  test("is the words of the command line", async () => {
    const { request } = await asking(["what", "is", "it", "--session", "s9", "--context", '{"n": 1}']);
    expect(request).toEqual({ query: "what is it", session_id: "s9", context: { n: 1 } });
  });
  test("may be put to another model, whose name may have slashes", async () => {
    const { request } = await asking(["q", "--model", "hub/maker/model-1"]);
    expect(request).toEqual({ query: "q", override: { provider: "hub", model: "maker/model-1" } });
    expect(await asking(["q", "--model", "gpt-5"])).toMatchObject({ code: 2, request: undefined });
  });
  test("or else what is piped in, without the shell's line end", async () => {
    expect((await asking([], "line one\nline two\n")).request).toEqual({ query: "line one\nline two" });
  });
  test("may be 256 KiB, not more", async () => {
    expect((await asking([], "x".repeat(256 * 1024))).code).toBe(0);
    const tooLong = await asking([], "x".repeat(256 * 1024 + 1));
    expect(tooLong).toMatchObject({ code: 2, request: undefined });
  });
  test("is never asked for", async () => {
    const said = await say(["run", "a"], { terminal: true, stdin: new Readable({ read() {} }) });
    expect(said.code).toBe(2);
    expect(said.stderr).toContain("There is no query.");
  });
  test.each([
    ["no UTF-8", [0xff, 0xfe], "not valid UTF-8"],
    ["NUL in it", [0x61, 0, 0x62], "holds a NUL character"],
  ])("is refused with %s", async (_what, bytes, fault) => {
    const parts = answering(doneFrame(""));
    const said = await say(["run", "a"], { parts, stdin: Readable.from([Buffer.from(bytes)]) });
    expect(said.code).toBe(2);
    expect(said.stderr).toContain(fault);
  });
  test("takes its context from a file", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "c.json"), '{"customer": {"name": "ACME"}}');
    const requests: RunRequest[] = [];
    const parts = daemonParts({
      stream: async function* (_agent, request) {
        requests.push(request);
        yield doneFrame("");
      },
    });
    await say(["run", "a", "q", "--context-file", "c.json"], { parts, folder: folder.path });
    expect(requests[0]?.context).toEqual({ customer: { name: "ACME" } });
  });
});

describe("with --json", () => {
  test("the run result is the one document", async () => {
    const parts = daemonParts({ run: async () => result, getTrace: async () => trace });
    const said = await say(["run", "support", "q", "--json"], { parts });
    expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(said.stdout)).toEqual(result);
    const traced = await say(["run", "support", "q", "--json", "--trace"], { parts });
    expect(JSON.parse(traced.stdout)).toEqual({ ...result, trace });
  });
  test("and --stream each line is a frame", async () => {
    const frames = [token("a"), token("b"), doneFrame("ab")];
    const said = await say(["run", "a", "q", "--json", "--stream"], { parts: answering(...frames) });
    expect(
      said.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(frames);
  });
  test("and --stream a failure is the last frame", async () => {
    const failure: StreamFrame = { type: "error", error: "no_provider_available", message: "none" };
    const said = await say(["run", "a", "q", "--json", "--stream"], {
      parts: answering(token("a"), failure),
    });
    expect(said.code).toBe(1);
    expect(
      said.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([token("a"), failure]);
  });
});

test("--no-stream prints the whole answer", async () => {
  const parts = daemonParts({ run: async () => result });
  expect((await say(["run", "a", "q", "--no-stream"], { parts })).stdout).toBe("It is noon.\n");
});

test("--trace shows the spans on stderr", async () => {
  const parts = daemonParts({ stream: framesOf(doneFrame("hi")), getTrace: async () => trace });
  const said = await say(["run", "a", "q", "--trace"], { parts });
  expect(said.stderr).toContain("agent.run  12.4 ms  OK  agent=support");
});

describe("a run that fails", () => {
  test("before its first token", async () => {
    const parts = daemonParts({
      stream: async function* () {
        yield* [];
        throw notFound;
      },
    });
    expect(await say(["run", "suport", "q"], { parts })).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: There is no agent with this name.\nDid you mean support?\n",
    });
  });
  test("in the middle of its answer", async () => {
    const failure: StreamFrame = { type: "error", error: "provider_failed", message: "cut off" };
    expect(await say(["run", "a", "q"], { parts: answering(token("It is"), failure) })).toEqual({
      code: 1,
      stdout: "It is\n",
      stderr: "error: cut off\n",
    });
  });
  test("by a stream that just ends", async () => {
    const said = await say(["run", "a", "q"], { parts: answering(token("It is")) });
    expect(said).toMatchObject({ code: 1, stderr: "error: The answer ended early.\n" });
  });
});

test("a signal cancels the run, closes what was opened and ends with 130", async () => {
  let interrupt = () => {};
  let closed = 0;
  const parts = daemonParts(
    {
      stream: async function* (_agent, _request, signal) {
        yield token("partial");
        queueMicrotask(interrupt);
        await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
    },
    { closed: () => closed++ },
  );
  const said = await say(["run", "a", "q"], { parts, onSignalReady: (signal) => (interrupt = signal) });
  expect(said.code).toBe(130);
  expect(closed).toBe(1);
});

test.each([
  ["in silence", [], ""],
  [
    "with --json by a document",
    ["--json"],
    { error: "interrupted", message: "The command was interrupted." },
  ],
])("a signal ends the wait for a query that never comes, %s", async (_, options, document) => {
  let interrupt = () => {};
  const stdin = new Readable({ read: () => queueMicrotask(interrupt) });
  const said = await say(["run", "a", ...options], {
    stdin,
    onSignalReady: (signal) => (interrupt = signal),
  });
  expect(said).toMatchObject({ code: 130, stderr: "" });
  expect(said.stdout === "" ? "" : JSON.parse(said.stdout)).toEqual(document);
});

test("a reader that has had enough cancels the run, without a fault", async () => {
  const { shell, read } = recordingShell({
    parts: daemonParts({
      stream: async function* (_agent, _request, signal) {
        yield token("one line\n");
        shell.stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
        signal?.throwIfAborted();
        yield doneFrame("one line\n");
      },
    }),
  });
  expect(await runCommandLine(["run", "a", "q"], shell)).toBe(0);
  expect(read().stderr).toBe("");
});

test("--rehearse is an answer to a server that was started without it", async () => {
  const asked: object[] = [];
  const stream = framesOf(doneFrame("hi"));
  await say(["run", "a", "q", "--rehearse"], { parts: daemonParts({ stream }, { asked }) });
  expect(asked).toEqual([{ rehearse: true }]);
  const said = await say(["run", "a", "q", "--rehearse", "--json"], {
    parts: daemonParts({ stream }, { via: "server" }),
  });
  expect(said.code).toBe(1);
  expect(JSON.parse(said.stdout)).toMatchObject({ error: "server_decides_rehearsal" });
});
