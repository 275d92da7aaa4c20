import { describe, expect, test } from "bun:test";
import type { MemoryExportLine } from "../../../src/contracts/daemon/memory/memory.ts";
import { daemonParts, notFound, say } from "../recording-shell.ts";

const session = (id: string, has_summary = false) => ({
  session_id: id,
  turns: 4,
  tokens: 120,
  first_at: "2026-01-01T00:00:00.000Z",
  last_at: "2026-01-01T00:05:00.000Z",
  has_summary,
});

const history = {
  agent: "helper",
  session_id: "s",
  messages: [
    { role: "user", content: "hi\u001b[2J", seq: 3, timestamp: "2026-01-01T00:00:00.000Z" },
    { role: "assistant", content: "Hello.", seq: 4, timestamp: "2026-01-01T00:00:01.000Z" },
  ],
  summary: { text: "They met.", up_to_seq: 2, token_count: 3, timestamp: "2026-01-01T00:00:00.000Z" },
  next_cursor: "WzNd",
};

const lines: MemoryExportLine[] = [
  { type: "session", session_id: "s" },
  { type: "end", sessions: 1, turns: 0 },
];

function parts(asked: unknown[] = [], exported = lines) {
  return daemonParts({
    listSessions: async (...args) => {
      asked.push(args);
      return { agent: "helper", sessions: [session("s", true), session("t")], next_cursor: "abc" };
    },
    history: async (...args) => {
      asked.push(args);
      return history;
    },
    clearHistory: async (agent, session_id) => ({ status: "cleared", agent, session_id }),
    clearMemory: async (agent) => ({ status: "cleared", agent, sessions: 2 }),
    async *exportMemory(...args) {
      asked.push(args.slice(0, 2));
      yield* exported;
    },
  });
}

describe("memory", () => {
  test("sessions is a table, with the way to more as talk", async () => {
    const asked: unknown[] = [];
    const said = await say(["memory", "sessions", "helper", "--limit", "2"], { parts: parts(asked) });
    expect(asked).toEqual([["helper", { limit: 2 }]]);
    expect(said.stdout.split("\n").slice(0, 3)).toEqual([
      "SESSION  MESSAGES         TOKENS  BEGUN                     LAST",
      "s        4 and a summary  120     2026-01-01T00:00:00.000Z  2026-01-01T00:05:00.000Z",
      "t        4                120     2026-01-01T00:00:00.000Z  2026-01-01T00:05:00.000Z",
    ]);
    expect(said.stderr).toContain("--cursor abc");
  });

  test("show has the summary first, then each message with its time", async () => {
    const said = await say(["memory", "show", "helper", "s"], { parts: parts(), terminal: true });
    expect(said.stdout).toContain("They met.");
    expect(said.stdout.indexOf("They met.")).toBeLessThan(said.stdout.indexOf("Hello."));
    expect(said.stdout).not.toContain("hi\u001b[2J");
    expect(said.stderr + said.stdout).toContain("--cursor WzNd");
    const json = await say(["memory", "show", "helper", "s", "--json"], { parts: parts() });
    expect(JSON.parse(json.stdout)).toEqual(history);
  });

  test("clear forgets one session or, with --all, all of them", async () => {
    expect(await say(["memory", "clear", "helper", "s", "--json"], { parts: parts() })).toMatchObject({
      code: 0,
    });
    const all = await say(["memory", "clear", "helper", "--all"], { parts: parts() });
    expect(all.stderr).toContain("Deleted 2 conversations of helper.");
    for (const args of [["helper"], ["helper", "s", "--all"]])
      expect(await say(["memory", "clear", ...args], { parts: parts() })).toMatchObject({ code: 2 });
  });

  test("export is a document a line, and fails when it is not whole", async () => {
    const whole = await say(["memory", "export", "helper", "s"], { parts: parts() });
    expect(
      whole.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(lines);
    expect(whole.code).toBe(0);
    const broken = await say(["memory", "export", "helper"], { parts: parts([], lines.slice(0, 1)) });
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("ended early");
  });

  test("an unknown agent has the server's error", async () => {
    const none = daemonParts({ listSessions: () => Promise.reject(notFound) });
    expect((await say(["memory", "sessions", "nobody"], { parts: none })).stderr).toContain("no agent");
  });
});
