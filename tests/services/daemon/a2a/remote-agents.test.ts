import { expect, test } from "bun:test";
import { agentFile, startDaemon } from "../../../support/daemon.ts";

/** Calls the tool once, then answers with its result. */
const calling =
  (input: object) =>
  ({ body }: { body: { messages: { role: string; content: unknown }[] } }) => {
    const result = body.messages.findLast(({ role }) => role === "tool");
    if (result !== undefined) return { text: `It said ${String(result.content)}` };
    return { text: "", toolCalls: [{ id: "c", name: "desk", arguments: input }] };
  };

const asking = (url: string, more: object = {}) =>
  startDaemon({
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        tools: [{ name: "desk", type: "a2a", config: { url, allow_localhost: true }, ...more }],
      }),
    },
    models: { lab: calling({ query: "Where is order 4711?" }) as never },
  });

const card = (url: string, version = "1.0") => ({
  name: "Desk",
  description: "Knows orders.",
  skills: [{ id: "track", name: "Track", description: "Finds an order." }],
  supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: version }],
});

/** A server of another system: `answer` says what its agent answers to each call. */
function serve(
  answer: (call: { method: string; params: never }, request: Request) => unknown,
  ownCard: (url: string) => unknown = card,
) {
  const calls: { method: string; version: string | null }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const origin = new URL(request.url).origin;
      if (request.method === "GET") return Response.json(ownCard(origin));
      const call = (await request.json()) as never as { method: string; params: never };
      calls.push({ method: call.method, version: request.headers.get("a2a-version") });
      const given = answer(call, request);
      return given instanceof Response
        ? given
        : Response.json({ jsonrpc: "2.0", id: 1, ...(given as object) });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, calls, [Symbol.asyncDispose]: () => server.stop(true) };
}

const done = (text: string) => ({
  result: {
    task: {
      id: "t",
      contextId: "c",
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ parts: [{ text }] }],
    },
  },
});

test("an agent of ours asks another of ours over A2A, whose card describes it to the model", async () => {
  await using desk = await startDaemon({
    agents: {
      "desk.agent.yaml": agentFile("desk", {
        a2a: { enabled: true },
        identity: { description: "Knows orders." },
      }),
    },
    models: { lab: [{ text: "It is on its way." }] },
  });
  await using helper = await asking(desk.url);
  const { body } = await helper.run("helper", { query: "Hi" });
  expect(body.response).toContain("It is on its way.");
  expect(body.response).toContain("context_id");
  expect(JSON.stringify(desk.models.lab.requests[0]?.body)).toContain("Where is order 4711?");
  expect(JSON.stringify(helper.models.lab.requests[0]?.body.tools)).toContain("Knows orders.");
});

test("a task that goes on is read until it ends", async () => {
  let asked = 0;
  await using server = serve(({ method }) => {
    if (method === "SendMessage")
      return { result: { task: { id: "t", status: { state: "TASK_STATE_WORKING" } } } };
    asked++;
    return asked < 3
      ? { result: { id: "t", status: { state: "TASK_STATE_WORKING" } } }
      : { result: done("Late.").result.task };
  });
  await using helper = await asking(server.url);
  const running = helper.run("helper", { query: "Hi" });
  while (asked < 3) await helper.clock.advance(1_000);
  expect((await running).body.response).toContain("Late.");
  expect(new Set(server.calls.map(({ version }) => version))).toEqual(new Set(["1.0"]));
});

test("a server of 0.3 is asked in 0.3", async () => {
  const result = {
    kind: "task",
    id: "t",
    status: { state: "completed" },
    artifacts: [{ parts: [{ kind: "text", text: "Old." }] }],
  };
  await using server = serve(
    () => ({ result }),
    (url) => card(url, "0.3.0"),
  );
  await using helper = await asking(server.url);
  expect((await helper.run("helper", { query: "Hi" })).body.response).toContain("Old.");
  expect(server.calls).toEqual([{ method: "message/send", version: "0.3" }]);
});

test.each<[string, unknown, string]>([
  ["an error", { error: { code: -32_000, message: "No." } }, "No. (-32000)"],
  [
    "a failed task",
    {
      result: {
        task: { id: "t", status: { state: "TASK_STATE_FAILED", message: { parts: [{ text: "Broken." }] } } },
      },
    },
    "Broken.",
  ],
  [
    "a question back",
    { result: { task: { id: "t", status: { state: "TASK_STATE_INPUT_REQUIRED" } } } },
    "needs something",
  ],
  [
    "a state that nobody knows",
    { result: { task: { id: "t", status: { state: "x".repeat(500) } } } },
    "did not complete",
  ],
  ["nothing", {}, "neither a task nor a message"],
  ["a result that is none", { result: [[]] }, "neither a task nor a message"],
  ["a page", new Response("<html>", { status: 200 }), "neither a task nor a message"],
  ["a status", new Response("{}", { status: 503 }), "answered 503"],
  ["100 levels", new Response(`${"[".repeat(200)}${"]".repeat(200)}`), "neither a task nor a message"],
  [
    "a redirect",
    new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } }),
    "answered 302",
  ],
])("a server that answers with %s fails the call, and the run goes on", async (_, answer, message) => {
  await using server = serve(() => (answer instanceof Response ? answer.clone() : answer));
  await using helper = await asking(server.url);
  const { status, body } = await helper.run("helper", { query: "Hi" });
  expect(status).toBe(200);
  expect(body.response).toContain(message);
});

test.each<[string, (url: string) => unknown, string]>([
  ["leads elsewhere", () => card("https://evil.example"), "leads to another server"],
  ["is none", () => [], "has no agent card"],
  ["has another version", (url) => card(url, "9.9"), "neither A2A 1.0 nor 0.3"],
])("a card that %s fails the call without one", async (_, ownCard, message) => {
  await using server = serve(() => done("x"), ownCard);
  await using helper = await asking(server.url);
  expect((await helper.run("helper", { query: "Hi" })).body.response).toContain(message);
  expect(server.calls).toEqual([]);
});

test("without allow_localhost, this machine is not asked", async () => {
  await using server = serve(() => done("x"));
  await using helper = await asking(server.url, { config: { url: server.url } });
  const { body } = await helper.run("helper", { query: "Hi" });
  expect(body.response).toContain('"success":false');
  expect(server.calls).toEqual([]);
});

test("a call with requires_approval waits for a person, and nothing is sent before", async () => {
  await using server = serve(() => done("Approved."));
  await using helper = await asking(server.url, { requires_approval: true });
  const paused = await helper.run("helper", { query: "Hi" });
  expect(paused.status).toBe(202);
  expect(server.calls).toEqual([]);
  const { body } = await helper.call("POST", `/v1/approvals/${paused.body.approval_id}/approve`, {
    body: {},
  });
  expect(body.response).toContain("Approved.");
});
