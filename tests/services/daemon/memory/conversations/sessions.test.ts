import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => ({ text: [`re ${request.body.messages.at(-1)?.content}`] }) },
    agents: {
      "helper.agent.yaml": agentFile("helper"),
      "process.agent.yaml": agentFile("process", { memory: { conversational: { backend: "memory" } } }),
      "short.agent.yaml": agentFile("short", { memory: { conversational: { ttl_seconds: 60 } } }),
      "brief.agent.yaml": agentFile("brief", {
        memory: { conversational: { strategy: "summary", max_turns: 2, backend: "memory" } },
      }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

async function say(agent: string, session: string, ...queries: string[]): Promise<void> {
  for (const query of queries)
    expect((await daemon.run(agent, { query, session_id: session })).status).toBe(200);
}

const get = (path: string) => daemon.call("GET", `/v1/memory/${path}`);

async function exported(path: string): Promise<Record<string, unknown>[]> {
  const { status, headers, text } = await get(path);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/jsonl");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe.each(["helper", "process"])("the sessions of %s", (agent) => {
  test("are listed page by page, the most recent first; an invalid cursor or limit is 400", async () => {
    for (const session of ["a", "b", "c"]) {
      await say(agent, session, "1");
      await daemon.clock.advance(1000);
    }
    await say(agent, "a", "2");
    const first = await get(`${agent}/sessions?limit=2`);
    expect(first.body).toMatchObject({
      agent,
      sessions: [
        { session_id: "a", turns: 4, has_summary: false },
        { session_id: "c", turns: 2 },
      ],
    });
    const { first_at, last_at, tokens } = first.body.sessions[0];
    expect(Date.parse(last_at) - Date.parse(first_at)).toBe(3000);
    expect(tokens).toBeGreaterThan(0);
    const second = await get(`${agent}/sessions?limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body.sessions).toMatchObject([{ session_id: "b" }]);
    expect(second.body).not.toHaveProperty("next_cursor");
    expect((await get(`${agent}/sessions?cursor=nonsense`)).status).toBe(400);
    expect((await get(`${agent}/sessions?limit=0`)).status).toBe(400);
    expect((await get("nobody/sessions")).status).toBe(404);
  });

  test("are short without parameters, and in full with them", async () => {
    await say(agent, "full", "1", "2", "3");
    const { body: plain } = await get(`${agent}/history/full`);
    expect(Object.keys(plain)).toEqual(["agent", "session_id", "messages"]);
    expect(plain.messages[0]).toEqual({ role: "user", content: "1" });
    expect(plain.messages).toHaveLength(6);
    const { body: last } = await get(`${agent}/history/full?limit=4&full=true`);
    expect(last.messages.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4, 5, 6]);
    expect(last.messages[0]).toEqual({
      role: "user",
      content: "2",
      seq: 3,
      timestamp: daemon.clock.now().toISOString(),
      token_count: 1,
      metadata: { run_id: expect.any(String), trace_id: expect.any(String) },
    });
    const { body: older } = await get(`${agent}/history/full?limit=4&cursor=${last.next_cursor}`);
    expect(older.messages).toEqual([
      { role: "user", content: "1" },
      { role: "assistant", content: "re 1" },
    ]);
    expect(older).not.toHaveProperty("next_cursor");
    expect((await get(`${agent}/history/full?cursor=x`)).status).toBe(400);
    expect((await get(`${agent}/history/full?full=maybe`)).status).toBe(400);
    expect((await get(`${agent}/history/unknown?full=true`)).body.messages).toEqual([]);
  });

  test("are exported whole, one or all of them", async () => {
    await say(agent, "ex\u{1f600}", "one\nline", "2");
    const one = await exported(`${agent}/export?session_id=${encodeURIComponent("ex\u{1f600}")}`);
    expect(one.map(({ type }) => type)).toEqual(["session", "turn", "turn", "turn", "turn", "end"]);
    expect(one[1]).toMatchObject({ session_id: "ex\u{1f600}", seq: 1, role: "user", content: "one\nline" });
    expect(one.at(-1)).toEqual({ type: "end", sessions: 1, turns: 4 });
    const all = await exported(`${agent}/export`);
    const sessions = all.filter(({ type }) => type === "session").map(({ session_id }) => session_id);
    expect(sessions.sort()).toEqual(["a", "b", "c", "ex\u{1f600}", "full"]);
    expect(all.at(-1)).toEqual({ type: "end", sessions: 5, turns: 4 + 2 + 2 + 4 + 6 });
    expect(await exported(`${agent}/export?session_id=unknown`)).toEqual([
      { type: "end", sessions: 0, turns: 0 },
    ]);
    expect((await get("nobody/export")).status).toBe(404);
  });

  test("are forgotten together", async () => {
    const { status, body } = await daemon.call("DELETE", `/v1/memory/${agent}`);
    expect({ status, body }).toEqual({ status: 200, body: { status: "cleared", agent, sessions: 5 } });
    expect((await get(`${agent}/sessions`)).body.sessions).toEqual([]);
    expect((await get(`${agent}/history/a`)).body.messages).toEqual([]);
    expect((await daemon.call("DELETE", `/v1/memory/${agent}/`)).body.sessions).toBe(0);
  });
});

test("a session that was not continued ends for everyone, and is then removed", async () => {
  await say("short", "s", "1");
  await daemon.clock.advance(59_000);
  await say("short", "s", "2");
  expect((await get("short/history/s")).body.messages).toHaveLength(4);
  await daemon.clock.advance(60_000);
  expect((await get("short/history/s")).body.messages).toEqual([]);
  expect((await get("short/sessions")).body.sessions).toEqual([]);
  expect(await exported("short/export")).toEqual([{ type: "end", sessions: 0, turns: 0 }]);
  await say("short", "s", "3");
  expect((await get("short/history/s")).body.messages).toHaveLength(2);
  await daemon.clock.advance(60_000);
  while (!daemon.logLines().some((line) => line.includes("memory.swept"))) await daemon.clock.advance(60_000);
});

test("a summary is shown with the history, in the list and in the export", async () => {
  await say("brief", "s", "1", "2");
  while (!(await get("brief/sessions")).body.sessions[0].has_summary) await daemon.clock.advance(1);
  const { body } = await get("brief/history/s?full=true");
  expect(body.summary).toMatchObject({ up_to_seq: 2, text: expect.stringContaining("re User: 1") });
  expect((await exported("brief/export"))[0]).toMatchObject({ type: "session", summary: body.summary });
});
