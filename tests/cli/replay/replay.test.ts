import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts } from "../../../src/command/parts.ts";
import type { RunRequest, StreamFrame } from "../../../src/contracts/daemon/runs/run.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { recorded } from "../../support/cassettes.ts";
import { asks, stage } from "../../support/staged-run.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { daemonParts, doneFrame, framesOf, metadata, say, usage } from "../recording-shell.ts";

const look = { name: "look", execute: async () => ({ success: true as const, data: { seen: "blue" } }) };

const record = (answer = "It is blue.", query = "What colour?") =>
  recorded(
    stage({
      calls: [asks("", { id: "c1", name: "look", input: { at: "sky" } }), answer],
      tools: [look],
      spec: { prompts: { system: "Look at things." } },
    }),
    { query },
  );

/** The real parts that read, replay and write cassettes; other parts are not available. */
const { readCassette, requireWritable, writeCassette, replay, compareCassettes } = builtParts;
const offline = { readCassette, requireWritable, writeCassette, replay, compareCassettes };

/** A folder with a cassette `a.json`, and further files. */
async function workspace(files: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const { text } = await record();
  for (const [name, content] of Object.entries({ "a.json": text, ...files }))
    writeFileSync(join(folder.path, name), content);
  return { folder, text, run: (...args: string[]) => say(args, { folder: folder.path, parts: offline }) };
}

test("a replay that goes as it was recorded is one line", async () => {
  const { folder, run } = await workspace();
  using _ = folder;
  expect(await run("replay", "a.json")).toEqual({
    code: 0,
    stdout: "identical (4 events, 2 model calls, 1 tool call)\n",
    stderr: "",
  });
  const { stdout } = await run("replay", "a.json", "--strict", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    mode: "replay",
    identical: true,
    replayed: { events: 4, model_calls: 2, tool_calls: 1 },
  });
});

test("a replay that goes another way says where, in words and in JSON, and fails", async () => {
  const { folder, text, run } = await workspace();
  using _ = folder;
  writeFileSync(
    join(folder.path, "b.json"),
    text.replace(
      '{"result":{"success":true,"data":{"seen":"blue"}}}',
      '{"result":{"success":true,"data":{"seen":"red"}}}',
    ),
  );
  expect(await run("replay", "b.json", "--strict")).toEqual({
    code: 1,
    stdout: [
      "diverged: Model call 2, of staged, is not the recorded one: messages[3].content differs.",
      "at        messages[3].content, character 10",
      'recorded  {"seen":"blue"}',
      'replayed  {"seen":"red"}',
      "",
    ].join("\n"),
    stderr: "after 2 events, 1 model call, 1 tool call\n",
  });
  const lenient = await run("replay", "b.json");
  expect(lenient).toMatchObject({ code: 1 });
  expect(lenient.stderr).toStartWith("warning: Model call 2, of staged, is not the recorded one");
  expect(lenient.stdout).toStartWith("diverged: Event 2 (tool_result) is not the recorded one");
  const { code, stdout } = await run("replay", "b.json", "--strict", "--json");
  expect({ code, report: JSON.parse(stdout) }).toMatchObject({
    code: 1,
    report: { identical: false, divergence: { at: "request", number: 2 } },
  });
});

test("the recording of a replay is replayed like the first", async () => {
  const { folder, run } = await workspace();
  using _ = folder;
  expect(await run("replay", "a.json", "--record", "again.json")).toMatchObject({
    code: 0,
    stderr: `recorded ${join(folder.path, "again.json")}\n`,
  });
  expect(statSync(join(folder.path, "again.json")).mode & 0o777).toBe(0o600);
  expect((await run("replay", "again.json", "--strict")).code).toBe(0);
  expect((await run("replay", "diff", "a.json", "again.json")).stdout).toBe(
    "identical (4 events, 2 model calls)\n",
  );
});

test("the difference of two recordings", async () => {
  const { folder, run } = await workspace({ "b.json": (await record("It is bluish.")).text });
  using _ = folder;
  const { code, stdout, stderr } = await run("replay", "diff", "a.json", "b.json");
  expect(code).toBe(1);
  expect(stdout).toBe(
    [
      "different: To the same request, model call 2 of staged was answered differently: text differs.",
      "at      text, character 10",
      "first   It is blue.",
      "second  It is bluish.",
      "",
    ].join("\n"),
  );
  expect(stderr).toContain("first   staged, 2026-01-01T00:00:00.000Z, ok");
  expect(JSON.parse((await run("replay", "diff", "a.json", "b.json", "--json")).stdout)).toMatchObject({
    identical: false,
  });
});

test("what a recording holds, for people", async () => {
  const { folder, run } = await workspace();
  using _ = folder;
  const { stdout } = await run("replay", "show", "a.json");
  for (const line of [
    "query     What colour?",
    "  system    Look at things.",
    "  user      What colour?",
    "  asked     lab/m",
    '  →         look {"at":"sky"}',
    '  look      {"at":"sky"}',
    "            (2 messages as before)",
    '  tool      {"seen":"blue"}',
    "  →         It is blue.",
    "  answer    It is blue.",
  ])
    expect(stdout.split("\n")).toContain(line);
  const whole = await run("replay", "show", "a.json", "--all");
  expect(whole.stdout).not.toContain("as before");
  expect(JSON.parse((await run("replay", "show", "a.json", "--json")).stdout)).toMatchObject({ version: 1 });
});

describe("refusals", () => {
  const big = "x".repeat(64 * 1024 * 1024 + 1);
  test.each<[string, string[], string]>([
    ["no file", ["replay"], "missing required argument 'file'"],
    ["a file that is not there", ["replay", "none.json"], "none.json does not exist."],
    ["a folder", ["replay", "."], "is not a file."],
    ["an empty file", ["replay", "empty.json"], "empty.json is empty."],
    ["no cassette", ["replay", "foreign.json"], "foreign.json is not a cassette."],
    ["a file cut off", ["replay", "cut.json"], "cut.json is cut off"],
    ["bytes that are not text", ["replay", "bytes.json"], "bytes.json is not UTF-8 text, so no cassette."],
    [
      "a file larger than any",
      ["replay", "big.json"],
      "big.json is larger than 64 MiB, the maximum for a cassette.",
    ],
    ["a number that is none", ["replay", "a.json", "--from", "two"], "It must be a whole number"],
    [
      "a model without a provider",
      ["replay", "a.json", "--model", "gpt"],
      "It must be a provider and its model",
    ],
    ["live tools without a fork", ["replay", "a.json", "--live-tools"], "--live-tools needs a fork"],
    [
      "an option of replay for diff",
      ["replay", "diff", "a.json", "a.json", "--strict"],
      "--strict applies to replaying",
    ],
    [
      "an option of replay for show",
      ["replay", "show", "a.json", "--live-tools"],
      "--live-tools applies to replaying",
    ],
    ["one cassette to compare", ["replay", "diff", "a.json"], "missing required argument 'second'"],
    ["a recording into no folder", ["replay", "a.json", "--record", "none/out.json"], "There is no folder"],
    [
      "a recording into a folder",
      ["replay", "a.json", "--record", "folder.json"],
      "folder.json is not a file.",
    ],
    [
      "a recording that is not a JSON file",
      ["replay", "a.json", "--record", "out.txt"],
      "is not a .json file",
    ],
  ])("%s", async (_, args, message) => {
    const { folder, text, run } = await workspace({ "empty.json": "", "foreign.json": "{}" });
    using __ = folder;
    writeFileSync(join(folder.path, "cut.json"), text.slice(0, 900));
    writeFileSync(join(folder.path, "bytes.json"), Uint8Array.of(0x7b, 0xff, 0xfe));
    mkdirSync(join(folder.path, "folder.json"));
    if (args.includes("big.json")) writeFileSync(join(folder.path, "big.json"), big);
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});

describe("run --record", () => {
  const result = {
    agent: "support",
    session_id: "s1",
    response: "Noon.",
    tool_calls: [],
    usage,
    timing: { total_ms: 12, model_ms: 10, tool_ms: 1 },
    model: "rehearsal",
    provider: "rehearsal",
    metadata,
    trace_id: "t1",
  };

  /** Runs `argosy run support …` in an empty folder, over a daemon that answers with these frames. */
  async function runWith(args: string[], frames: StreamFrame[] | AppError, text = "{}") {
    using folder = temporaryFolder();
    const asked: RunRequest[] = [];
    const frameSource = framesOf(...(frames instanceof AppError ? [] : frames));
    const parts = {
      ...daemonParts({
        stream: (agent, request, signal) => {
          asked.push(request);
          if (frames instanceof AppError) throw frames;
          return frameSource(agent, request, signal);
        },
        run: async (_agent, request) => {
          asked.push(request);
          return { ...result, cassette: "t1" };
        },
        getCassetteText: async (id) => (id === "t1" ? text : Promise.reject(new Error("another"))),
      }),
      requireWritable,
      writeCassette,
    };
    const said = await say(["run", "support", ...args], { folder: folder.path, parts });
    const files = readdirSync(folder.path);
    const written = files.map((name) => readFileSync(join(folder.path, name), "utf8"));
    return { ...said, asked, files, written };
  }

  test("asks for a recording and writes it into a file of this name", async () => {
    const done = { ...doneFrame("Noon."), cassette: "t1" } as StreamFrame;
    const ran = await runWith(["when?", "--record", "it.json"], [{ type: "token", content: "Noon." }, done]);
    expect(ran).toMatchObject({ code: 0, stdout: "Noon.\n", files: ["it.json"], written: ["{}"] });
    expect(ran.asked).toEqual([{ query: "when?", record: true }]);
    expect(ran.stderr).toMatch(/recorded .*\/it\.json\n$/);
  });

  test("names the file after agent and time where none is given", async () => {
    const ran = await runWith(["when?", "--json", "--record"], []);
    expect(ran.files[0]).toMatch(/^support-\d{8}T\d{6}Z\.cassette\.json$/);
    expect(JSON.parse(ran.stdout)).toMatchObject({ response: "Noon.", cassette: "t1" });
  });

  test.each<[string, StreamFrame[] | AppError]>([
    ["in its stream", [{ type: "error", error: "provider_failed", message: "Down.", cassette: "t1" }]],
    [
      "before it",
      new AppError("upstream_failed", "provider_failed", "Down.", { details: { facts: { cassette: "t1" } } }),
    ],
  ])("writes it also for a run that fails %s", async (_, frames) => {
    const ran = await runWith(["when?", "--record=it.json"], frames);
    expect(ran).toMatchObject({ code: 1, files: ["it.json"] });
    expect(ran.stderr).toContain("error: Down.");
  });

  test("says why there is no recording, and fails although the run went well", async () => {
    const done = { ...doneFrame("Noon."), cassette_error: "The recording was not stored: the disk is full." };
    const ran = await runWith(["when?", "--record", "it.json"], [done as StreamFrame]);
    expect(ran).toMatchObject({ code: 1, files: [] });
    expect(ran.stderr).toContain("not recorded: The recording was not stored: the disk is full.");
  });

  test.each([
    ["a word of the query", ["--record", "when?"], '--record was given "when?", which is not a .json file.'],
    ["a folder that is not there", ["when?", "--record", "none/it.json"], "There is no folder"],
  ])("refuses %s before anything runs", async (_, args, message) => {
    const ran = await runWith(args, []);
    expect(ran).toMatchObject({ code: 2, asked: [], files: [] });
    expect(ran.stderr).toContain(message);
  });

  test("without it nothing is recorded", async () => {
    const ran = await runWith(["when?"], [doneFrame("Noon.")]);
    expect(ran).toMatchObject({ code: 0, asked: [{ query: "when?" }], files: [] });
  });
});

test("a fork goes to the daemon with the cassette, and its answer is data", async () => {
  const { folder } = await workspace();
  using _ = folder;
  const asked: object[] = [];
  const parts = {
    ...offline,
    ...daemonParts({
      replayGiven: async (request) => {
        asked.push({ ...request, cassette: "…" });
        return {
          mode: "fork" as const,
          cassette: "t1",
          agent: "staged",
          played: { model_calls: 1, tool_calls: 1 },
          live: { model_calls: 1, tool_calls: 0, tools_refused: 2 },
          recorded: { result: { response: "It is blue." } },
          outcome: { result: { response: "It is grey." } },
          events: [],
          warnings: [],
          recording: "t2",
        };
      },
      getCassetteText: async (id) => `text of ${id}`,
    }),
  };
  const args = [
    "replay",
    "a.json",
    "--from",
    "1",
    "--model",
    "lab/m",
    "--live-tools",
    "--record",
    "fork.json",
  ];
  const { code, stdout, stderr } = await say(args, { folder: folder.path, parts });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "It is grey.\n" });
  expect(stderr).toContain("played 1 model call and 1 tool call; then 1 model call and 0 tool calls live");
  expect(stderr).toContain("2 tool calls not executed (see --live-tools)");
  expect(asked).toEqual([{ cassette: "…", from: 1, model: "lab/m", live_tools: true, record: true }]);
  expect(existsSync(join(folder.path, "fork.json"))).toBe(true);
});
