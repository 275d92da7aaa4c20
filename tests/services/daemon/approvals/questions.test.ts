import { describe, expect, test } from "bun:test";
import {
  askingAgent,
  bookingQuestion,
  callsEcho,
  goodAnswer,
  startAskingServer,
  startSessionAskingServer,
} from "../../../support/asking-server.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const asked = (url: string, workspace?: string) =>
  startDaemon({
    agents: askingAgent(url),
    models: { lab: callsEcho },
    ...(workspace !== undefined && { workspace }),
  });

const pause = async (daemon: TestDaemon) => {
  const { status, body } = await daemon.run("waiter", { query: "A table, please.", session_id: "s" });
  expect([status, body.status]).toEqual([202, "awaiting_approval"]);
  return body;
};

const decide = (daemon: TestDaemon, id: string, verdict: "approve" | "reject", body: object = {}) =>
  daemon.call("POST", `/v1/approvals/${id}/${verdict}`, { body });

describe("a question of a server pauses the run", () => {
  test("with its form, and the answer goes to the server", async () => {
    await using server = startAskingServer(bookingQuestion);
    await using daemon = await asked(server.url);
    const { approval_id: id, question } = await pause(daemon);
    expect(question).toEqual({
      server: "lab",
      message: "Which table?",
      fields: [
        { name: "guests", type: "integer", required: true, title: "Guests", min: 1, max: 8 },
        { name: "email", type: "string", required: false, format: "email" },
        {
          name: "area",
          type: "choice",
          required: true,
          options: [
            { value: "in", title: "Inside" },
            { value: "out", title: "Outside" },
          ],
        },
        {
          name: "extras",
          type: "choices",
          required: false,
          max: 1,
          options: [{ value: "cake" }, { value: "wine" }],
        },
        { name: "window", type: "boolean", required: false, default: true },
      ],
    });
    expect((await daemon.call("GET", `/v1/approvals/${id}`)).body.question).toEqual(question);
    const { status, body } = await decide(daemon, id, "approve", { answer: goodAnswer });
    expect(status).toBe(200);
    expect(JSON.parse(body.response.slice("Result: ".length))).toEqual([
      { action: "accept", content: goodAnswer },
    ]);
  });

  test.each([
    ["declined", {}, "decline"],
    ["dismissed", { cancel: true }, "cancel"],
  ])("and can be %s", async (_, decision, action) => {
    await using server = startAskingServer(bookingQuestion);
    await using daemon = await asked(server.url);
    const { approval_id: id } = await pause(daemon);
    const { body } = await decide(daemon, id, "reject", decision);
    expect(JSON.parse(body.response.slice("Result: ".length))).toEqual([{ action }]);
  });

  test("once for each of its questions", async () => {
    await using server = startAskingServer(bookingQuestion, { ...bookingQuestion, message: "Really?" });
    await using daemon = await asked(server.url);
    const first = await pause(daemon);
    const second = await decide(daemon, first.approval_id, "approve", { answer: goodAnswer });
    expect([second.status, second.body.question.message]).toEqual([202, "Really?"]);
    const { status, body } = await decide(daemon, second.body.approval_id, "reject");
    expect([
      status,
      JSON.parse(body.response.slice("Result: ".length)).map(({ action }: { action: string }) => action),
    ]).toEqual([200, ["accept", "decline"]]);
    // The model was asked once before the call, and once after it.
    expect(daemon.models.lab.requests).toHaveLength(2);
  });

  test("also over a restart", async () => {
    using folder = temporaryFolder();
    await using server = startAskingServer(bookingQuestion);
    let id: string;
    {
      await using daemon = await asked(server.url, folder.path);
      id = (await pause(daemon)).approval_id;
    }
    await using daemon = await asked(server.url, folder.path);
    const { body } = await decide(daemon, id, "approve", { answer: goodAnswer });
    expect(body.response).toContain("ada@example.org");
    expect(server.calls.filter(({ method }) => method === "tools/call")).toHaveLength(2);
  });

  test("as a link that Argosy does not open", async () => {
    await using server = startAskingServer({
      mode: "url",
      message: "Sign in.",
      url: "https://pay.example.org/x?y=1",
      elicitationId: "e",
    });
    await using daemon = await asked(server.url);
    const { approval_id: id, question } = await pause(daemon);
    expect(question).toEqual({
      server: "lab",
      message: "Sign in.",
      url: "https://pay.example.org/x?y=1",
      warning: expect.stringContaining("pay.example.org"),
    });
    expect((await decide(daemon, id, "approve", { answer: { a: 1 } })).status).toBe(400);
    const { body } = await decide(daemon, id, "approve");
    expect(JSON.parse(body.response.slice("Result: ".length))).toEqual([{ action: "accept" }]);
  });
});

describe("an answer that doesn't fit is 400 and leaves the question open", () => {
  const refused: [string, "approve" | "reject", object, string][] = [
    ["without a required value", "approve", {}, "answer.guests"],
    ["with a value of another type", "approve", { answer: { ...goodAnswer, guests: "2" } }, "answer.guests"],
    ["with too large a number", "approve", { answer: { ...goodAnswer, guests: 9 } }, "answer.guests"],
    ["with an address that is none", "approve", { answer: { ...goodAnswer, email: "ada" } }, "answer.email"],
    ["with an option that is none", "approve", { answer: { ...goodAnswer, area: "roof" } }, "answer.area"],
    [
      "with too many options",
      "approve",
      { answer: { ...goodAnswer, extras: ["cake", "wine"] } },
      "answer.extras",
    ],
    ["with a field that is none", "approve", { answer: { ...goodAnswer, admin: true } }, "answer.admin"],
    ["with values in a rejection", "reject", { answer: goodAnswer }, "answer"],
    ["that is accepted and dismissed", "approve", { answer: goodAnswer, cancel: true }, "cancel"],
  ];
  test("for each way in which it may not fit", async () => {
    await using server = startAskingServer(bookingQuestion);
    await using daemon = await asked(server.url);
    const { approval_id: id } = await pause(daemon);
    for (const [, verdict, body, path] of refused) {
      const answer = await decide(daemon, id, verdict, body);
      expect([answer.status, answer.body.error, answer.body.problems?.[0]?.path]).toEqual([
        400,
        "invalid_request",
        path,
      ]);
    }
    expect((await decide(daemon, id, "approve", { answer: goodAnswer })).status).toBe(200);
  });
});

describe("in a session of an older revision", () => {
  test("the call is held open until the person answers", async () => {
    await using server = startSessionAskingServer(bookingQuestion);
    await using daemon = await asked(server.url);
    const { approval_id: id, question } = await pause(daemon);
    expect(question.fields).toHaveLength(5);
    const { status, body } = await decide(daemon, id, "approve", { answer: goodAnswer });
    expect([status, JSON.parse(body.response.slice("Result: ".length))]).toEqual([
      200,
      [{ action: "accept", content: goodAnswer }],
    ]);
    expect(server.calls).toEqual([{ n: 1 }]);
  });

  test("a call that a restart ended is not made again, and the agent is told", async () => {
    using folder = temporaryFolder();
    await using server = startSessionAskingServer(bookingQuestion);
    let id: string;
    {
      await using daemon = await asked(server.url, folder.path);
      id = (await pause(daemon)).approval_id;
    }
    await using daemon = await asked(server.url, folder.path);
    const { status, body } = await decide(daemon, id, "approve", { answer: goodAnswer });
    expect(status).toBe(200);
    expect(body.response).toContain("session in which its server asked has ended");
    expect(server.calls).toHaveLength(1);
  });

  test("a call that only reads is made again, and its question asked again", async () => {
    using folder = temporaryFolder();
    await using server = startSessionAskingServer(bookingQuestion, { isReadOnly: true });
    let id: string;
    {
      await using daemon = await asked(server.url, folder.path);
      id = (await pause(daemon)).approval_id;
    }
    await using daemon = await asked(server.url, folder.path);
    const again = await decide(daemon, id, "approve", { answer: goodAnswer });
    expect([again.status, again.body.question?.message]).toEqual([202, "Which table?"]);
    const { body } = await decide(daemon, again.body.approval_id, "reject");
    expect(body.response).toContain("decline");
  });
});

test("a tool that is executed outside a run asks nobody, and its call fails", async () => {
  await using stateless = startAskingServer(bookingQuestion);
  await using daemon = await asked(stateless.url);
  const body = { tool: "lab__echo", agent: "waiter", input: {} };
  const { body: executed } = await daemon.call("POST", "/v1/tools/execute", { body });
  expect(executed.output).toEqual({ success: false, error: expect.stringContaining("can't be given here") });
});

describe("over AG-UI", () => {
  const events = async (daemon: TestDaemon, more: object) => {
    const body = {
      threadId: "t",
      runId: "r",
      messages: [{ id: "1", role: "user", content: "Hi." }],
      ...more,
    };
    const { status, text } = await daemon.call("POST", "/v1/agents/waiter/ag-ui", { body });
    if (status !== 200) return [{ status, ...JSON.parse(text) }];
    return text
      .split("\n\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line.slice("data: ".length)));
  };
  const interruptOf = async (daemon: TestDaemon) => (await events(daemon, {})).at(-1)?.outcome.interrupts[0];

  test("a question is an interrupt with the schema of its answer, which resumes the run", async () => {
    await using server = startAskingServer(bookingQuestion);
    await using daemon = await asked(server.url);
    const interrupt = await interruptOf(daemon);
    expect(interrupt).toMatchObject({
      reason: "input_required",
      message: "Which table?",
      responseSchema: {
        required: ["guests", "area"],
        properties: {
          guests: { type: "integer", minimum: 1, maximum: 8 },
          area: {
            oneOf: [
              { const: "in", title: "Inside" },
              { const: "out", title: "Outside" },
            ],
          },
        },
      },
    });
    const resume = (payload: unknown) => [{ interruptId: interrupt.id, status: "resolved", payload }];
    const [refused] = await events(daemon, { resume: resume({ guests: 2 }) });
    expect([refused.status, refused.problems[0].path]).toEqual([400, "answer.area"]);
    const [odd] = await events(daemon, { resume: resume({ guests: { deep: 1 } }) });
    expect([odd.status, odd.problems[0].path]).toEqual([400, "resume[0].payload"]);
    const rest = await events(daemon, { resume: resume(goodAnswer) });
    expect(rest.find(({ type }) => type === "TOOL_CALL_RESULT")?.content).toContain("ada@example.org");
  });

  test.each([
    ["cancelled", undefined, "cancel"],
    ["resolved", false, "decline"],
  ])("%s with %p refuses it", async (status, payload, action) => {
    await using server = startAskingServer(bookingQuestion);
    await using daemon = await asked(server.url);
    const { id } = await interruptOf(daemon);
    const rest = await events(daemon, { resume: [{ interruptId: id, status, payload }] });
    expect(rest.find(({ type }) => type === "TOOL_CALL_RESULT")?.content).toContain(action);
  });
});
