import { afterAll, beforeAll, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";
import type { ModelStep, RecordedRequest } from "../../../../support/model-server.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

let daemon: TestDaemon;
let script: (request: RecordedRequest) => ModelStep;

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "helper.agent.yaml": agentFile("helper"),
      "other.agent.yaml": agentFile("other"),
      "window.agent.yaml": agentFile("window", {
        memory: { conversational: { strategy: "sliding_window", max_turns: 4 } },
      }),
      "budget.agent.yaml": agentFile("budget", {
        memory: { conversational: { strategy: "token_budget", token_budget: 60 } },
      }),
      "private.agent.yaml": agentFile("private", {
        guardrails: {
          input: [{ type: "pii_detection", action: "redact" }],
          output: [{ type: "pii_detection", action: "redact" }],
        },
      }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

/** Echoes: the answer to "7" is "re 7". */
function echo(): void {
  script = (request) => ({ text: [`re ${request.body.messages.at(-1)?.content}`] });
}

async function say(agent: string, session: string, query: string): Promise<void> {
  expect((await daemon.run(agent, { query, session_id: session })).status).toBe(200);
}

/** Returns the messages of a conversation in the model's latest request, without the system prompt. */
function seen(): string[] {
  const messages = daemon.models.lab.requests.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role !== "system").map(({ role, content }) => `${role}: ${content}`);
}

async function history(agent: string, session: string): Promise<string[]> {
  const { body } = await daemon.call("GET", `/v1/memory/${agent}/history/${encodeURIComponent(session)}`);
  return body.messages.map(({ role, content }: { role: string; content: string }) => `${role}: ${content}`);
}

test("the runs of a session are seen by the model and shown by the history, apart from every other session", async () => {
  echo();
  await say("helper", "a", "1");
  await say("helper", "b", "2");
  await say("other", "a", "3");
  await say("helper", "a", "4");
  expect(seen()).toEqual(["user: 1", "assistant: re 1", "user: 4"]);
  expect(await history("helper", "a")).toEqual(["user: 1", "assistant: re 1", "user: 4", "assistant: re 4"]);
  expect(await history("helper", "b")).toEqual(["user: 2", "assistant: re 2"]);
  expect(await history("other", "a")).toEqual(["user: 3", "assistant: re 3"]);
  expect(await history("other", "b")).toEqual([]);
});

test("clearing forgets one session, and succeeds the second time too", async () => {
  echo();
  await say("helper", "cleared", "1");
  await say("helper", "kept", "2");
  for (let time = 1; time <= 2; time++) {
    const { status, body } = await daemon.call("DELETE", "/v1/memory/helper/history/cleared");
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: "cleared", agent: "helper", session_id: "cleared" },
    });
  }
  expect(await history("helper", "cleared")).toEqual([]);
  expect(await history("helper", "kept")).toHaveLength(2);
  await say("helper", "cleared", "3");
  expect(seen()).toEqual(["user: 3"]);
});

test.each(["a/b", "ñ 👍", "%2F", "a?b#c", "5215550002222@c.us"])(
  "the session id %p is its own, in bodies and in paths",
  async (session) => {
    echo();
    await say("helper", session, "1");
    expect(await history("helper", session)).toEqual(["user: 1", "assistant: re 1"]);
    await say("helper", session, "2");
    expect(seen()).toEqual(["user: 1", "assistant: re 1", "user: 2"]);
  },
);

test("what is kept, and seen by the model, is what the guardrails made of it", async () => {
  script = () => ({ text: "Ask bob@example.com." });
  await say("private", "s", "I am ann@example.com");
  await say("private", "s", "again");
  expect(await history("private", "s")).toEqual([
    "user: I am [EMAIL]",
    "assistant: Ask [EMAIL].",
    "user: again",
    "assistant: Ask [EMAIL].",
  ]);
  expect(seen()).toEqual(["user: I am [EMAIL]", "assistant: Ask [EMAIL].", "user: again"]);
});

test("a run that fails with 502 adds no message", async () => {
  echo();
  await say("helper", "failing", "1");
  script = () => ({ status: 400, body: "{}" });
  expect((await daemon.run("helper", { query: "2", session_id: "failing" })).status).toBe(502);
  echo();
  await say("helper", "failing", "3");
  expect(seen()).toEqual(["user: 1", "assistant: re 1", "user: 3"]);
});

test("a sliding window shows the model the last messages and keeps them all", async () => {
  echo();
  for (let number = 1; number <= 5; number++) await say("window", "s", `${number}`);
  expect(seen()).toEqual(["user: 3", "assistant: re 3", "user: 4", "assistant: re 4", "user: 5"]);
  expect(await history("window", "s")).toHaveLength(10);
});

test("a token budget shows the model as many whole exchanges as fit", async () => {
  // A message costs its text, about one token per four letters, and four tokens more.
  const thirtyTwoLetters = "x".repeat(32);
  script = () => ({ text: thirtyTwoLetters });
  for (let number = 1; number <= 5; number++) await say("budget", "s", thirtyTwoLetters);
  expect(seen()).toHaveLength(5);
  script = () => ({ text: "x".repeat(400) });
  await say("budget", "s", "long");
  await say("budget", "s", "after");
  expect(seen()).toEqual(["user: after"]);
});

test("runs of one session at once lose nothing and mix no exchange", async () => {
  echo();
  const queries = Array.from({ length: 20 }, (_, number) => `${number}`);
  await Promise.all(queries.map((query) => say("helper", "crowd", query)));
  const said = await history("helper", "crowd");
  const exchanges = queries.map((_, index) => said.slice(2 * index, 2 * index + 2));
  expect(exchanges.map(([question]) => question).sort()).toEqual(
    queries.map((query) => `user: ${query}`).sort(),
  );
  for (const [question, answer] of exchanges)
    expect(answer).toBe(question?.replace("user: ", "assistant: re "));
});

test("memory and traces outlive a restart", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  let traceId = "";
  {
    await using first = await startDaemon({ workspace });
    const { body } = await first.run("helper", { query: "1", session_id: "s" });
    traceId = body.trace_id;
  }
  await using second = await startDaemon({ workspace });
  await second.run("helper", { query: "2", session_id: "s" });
  const messages = second.models.lab.requests.at(-1)?.body.messages.slice(1);
  expect(messages?.map(({ content }) => content)).toEqual(["1", "Hello there.", "2"]);
  expect((await second.call("GET", `/v1/traces/${traceId}`)).status).toBe(200);
});
