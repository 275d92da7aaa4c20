import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { visiblePattern } from "../../../src/contracts/platform/shown-name.ts";
import httpRaw from "../../corpora/http_raw.json" with { type: "json" };
import jsonBodies from "../../corpora/json_bodies.json" with { type: "json" };
import hostileStrings from "../../corpora/strings_hostile.json" with { type: "json" };
import templates from "../../corpora/template_injection.json" with { type: "json" };
import { openEvents, openSocket, tokensOf } from "../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { type DescribedText, describedBytes } from "../../support/described-text.ts";
import { readExposition } from "../../support/exposition.ts";
import type { ModelStep, RecordedRequest } from "../../support/model-server.ts";
import { onePer } from "../../support/one-per.ts";
import { bodyOf, rawRequest } from "../../support/raw-http.ts";

let daemon: TestDaemon;
let script: (request: RecordedRequest) => ModelStep;

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        prompts: { system: "User said: {{ user_query }}", context: "Note: {{ context.note }}" },
        tools: [
          { name: "cache_store", type: "builtin" },
          { name: "json_transform", type: "builtin" },
        ],
      }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const fine = () => {
  script = () => ({ text: "Fine." });
};

async function requireAlive(): Promise<void> {
  expect((await daemon.call("GET", "/readyz")).status).toBe(200);
}

describe("json_bodies as the body of every route that takes one", () => {
  interface Entry {
    id: string;
    input: DescribedText;
    why: string;
    expected: string;
  }
  /** `tests/http/json-bodies.test.ts` sends every entry to a route; each of these routes gets one for each outcome. */
  const entries = onePer(jsonBodies.entries as Entry[], ({ expected }) => expected);
  const routes = ["/v1/agents/helper/run", "/v1/tools/execute", "/v1/chat/completions", "/v1/responses"];

  test.each(entries)("$id $why: $expected", async ({ input, expected }) => {
    fine();
    for (const path of routes) {
      const answer = await daemon.call("POST", path, { body: describedBytes(input) });
      // None of them is a complete request; generated ones may exceed the size limit first.
      const statuses = expected === "413" ? [413] : typeof input === "string" ? [400] : [400, 413];
      expect(statuses).toContain(answer.status);
      expect(answer.text.length).toBeLessThan(4000);
    }
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    await requireAlive();
  });

  test.each(entries.filter(({ input }) => typeof input === "string" && input !== ""))(
    "$id $why, as a value of the context",
    async ({ input }) => {
      fine();
      const body = `{"query":"hi","context":{"value":${input}}}`;
      const answer = await daemon.run("helper", body);
      expect(isExactJson(String(input)) ? [200, 400] : [400]).toContain(answer.status);
    },
  );
});

describe("strings_hostile as each string of a run, read back wherever it shows", () => {
  test.each(hostileStrings.entries)("$id $why", async ({ id, input }) => {
    const isRefused = input.includes("\0") || !new RegExp(visiblePattern).test(input);
    const isSessionId = !isRefused && !/[\p{Cc}]/u.test(input);
    const session = `session of ${id}`;
    script = (request) =>
      request.body.messages.at(-1)?.role === "tool"
        ? { text: [`You said ${input}`] }
        : { toolCalls: [{ name: "cache_store", arguments: { action: "set", key: "k", value: input } }] };

    const body = { query: input, session_id: session, context: { note: input, [`key ${input}`]: input } };
    const run = await daemon.call("POST", "/v1/agents/helper/run?trace=true", { body });
    expect(run.status).toBe(isRefused ? 400 : 200);
    expect([...run.headers.keys()]).not.toContain("set-cookie");
    if (isRefused) return;
    expect(run.body.response).toBe(`You said ${input}`);
    expect(run.body.tool_calls[0].input.value).toBe(input);
    const [system, said] = daemon.models.lab.requests.at(-2)?.body.messages ?? [];
    expect(system?.content).toBe(`User said: ${input}`);
    expect(said?.content).toBe(`Note: ${input}\n\n${input}`);
    expect(run.body.trace).toEqual((await daemon.call("GET", `/v1/traces/${run.body.trace_id}`)).body);

    const history = await daemon.call("GET", `/v1/memory/helper/history/${encodeURIComponent(session)}`);
    expect(history.body.messages).toEqual([
      { role: "user", content: input },
      { role: "assistant", content: `You said ${input}` },
    ]);
    expect(history.headers.get("content-type")).toContain("application/json");

    const stored = await execute({ action: "get", key: "k" }, session);
    expect(stored).toMatchObject({ data: { found: true, value: input } });
    await execute({ action: "set", key: input, value: "by its key" }, session);
    expect(await execute({ action: "get", key: input }, session)).toMatchObject({
      data: { key: input, value: "by its key" },
    });

    const asSession = await daemon.run("helper", { query: "hi", session_id: input });
    expect(asSession.status).toBe(isSessionId ? 200 : 400);
    if (isSessionId && !/^\.\.?$/.test(input)) {
      const own = await daemon.call("GET", `/v1/memory/helper/history/${encodeURIComponent(input)}`);
      expect(own.body).toMatchObject({ session_id: input, messages: [{ content: "hi" }, {}] });
      expect(asSession.body.session_id).toBe(input);
    }
  });

  test("the sessions, one for each string, kept apart what looks alike", async () => {
    script = () => ({ text: "Fine." });
    const twins = [
      ["admin", "admin "],
      ["caf\u00e9", "cafe\u0301"],
      ["a", "A"],
      ["1", "01"],
    ];
    for (const [one, other] of twins) {
      await daemon.run("helper", { query: "mine", session_id: `twin ${one}` });
      const { body } = await daemon.call(
        "GET",
        `/v1/memory/helper/history/${encodeURIComponent(`twin ${other}`)}`,
      );
      expect(body.messages).toEqual([]);
    }
  });

  test("as a name in a path, a query or a header, each is refused or finds nothing", async () => {
    for (const { input } of hostileStrings.entries) {
      const name = encodeURIComponent(input);
      const paths = [`/v1/agents/${name}`, `/v1/traces/${name}`, `/v1/memory/${name}/history/s`];
      for (const path of paths) expect([200, 400, 404]).toContain((await daemon.call("GET", path)).status);
      const listed = await daemon.call("GET", `/v1/traces?agent=${name}`);
      expect([200, 400]).toContain(listed.status);
      if (listed.status === 200) expect(listed.body.traces).toEqual([]);
      const tool = await daemon.call("POST", "/v1/tools/execute", { body: { tool: input, input: {} } });
      expect([400, 404]).toContain(tool.status);
      const model = { model: input, messages: [{ role: "user", content: "hi" }] };
      expect([400, 404]).toContain(
        (await daemon.call("POST", "/v1/chat/completions", { body: model })).status,
      );
    }
  });

  test("afterwards the metrics are sound, and each line of the log is one event of ours", async () => {
    readExposition((await daemon.call("GET", "/metrics")).text);
    for (const line of daemon.logLines()) {
      const record = JSON.parse(line);
      expect(record.event).toMatch(/^[a-z_.]+$/);
      expect([...line].every((character) => character >= " ")).toBe(true);
    }
  });
});

describe("template_injection by request: text is never rendered again", () => {
  const entries = templates.entries.filter(({ id }) => id >= "template_injection-039");
  const hostile = [
    ...entries.flatMap(({ input }) =>
      "user_query" in input ? (input.user_query ?? []) : (input.value ?? []),
    ),
    "{{ user_query }}",
    "{% for i in range(1000000000) %}x{% endfor %}",
    "{# comment #}",
    "{{",
  ];

  test.each([...new Set(hostile)])("%s", async (text) => {
    script = (request) =>
      request.body.messages.at(-1)?.role === "tool"
        ? { text: [text] }
        : { toolCalls: [{ name: "cache_store", arguments: { action: "set", key: "k", value: text } }] };
    const body = { query: text, session_id: "templates", context: { note: text } };
    for (let time = 1; time <= 2; time++) {
      const run = await daemon.run("helper", body);
      expect(run.body.response).toBe(text);
      const asked = daemon.models.lab.requests.at(-2)?.body.messages ?? [];
      expect(asked[0]?.content).toBe(`User said: ${text}`);
      expect(asked.at(-1)?.content).toBe(`Note: ${text}\n\n${text}`);
      const answered = daemon.models.lab.requests.at(-1)?.body.messages.at(-1);
      expect(answered?.role).toBe("tool");
    }
    expect(tokensOf(await (await openEvents(daemon.url, "helper", body)).answer())).toBe(text);
    await daemon.call("DELETE", "/v1/memory/helper/history/templates");
  });

  test("data of a transformation stays data", async () => {
    const transform = (data: unknown, template: string) => executeTool("json_transform", { data, template });
    const asText = await transform({ x: "{{ 7*7 }}" }, '{"a": "{{ data.x }}"}');
    expect(asText).toEqual({ success: true, data: { a: "{{ 7*7 }}" } });
    const entry = entries.find(({ id }) => id === "template_injection-047")?.input;
    const injected = await transform(entry?.data, entry?.template ?? "");
    expect(injected).not.toHaveProperty("data.admin");
  });

  test.each([
    "{% for i in range(1000000000) %}x{% endfor %}",
    "{{ 'a'*1000000000 }}",
    "{{ ''.constructor.constructor('return process')() }}",
    "{% include '/etc/passwd' %}",
    "{{",
  ])("a caller's own template is bounded: %s", async (template) => {
    const output = executeTool("json_transform", { data: {}, template });
    // The daemon's clock measures a template's time limit.
    let isOver = false;
    void output.finally(() => {
      isOver = true;
    });
    while (!isOver) await daemon.clock.advance(50);
    expect((await output).success).toBe(false);
    await requireAlive();
  });
});

describe("http_raw on the daemon's own routes", () => {
  const known = new Set(httpRaw.entries.map(({ id }) => id));
  const host = "Host: localhost\r\n";
  const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";

  test.each([
    ["http_raw-015", `GET /v1/agents/a%00b HTTP/1.1\r\n${host}\r\n`, [404]],
    ["http_raw-016", `GET /v1/traces/../agents HTTP/1.1\r\n${host}\r\n`, [200]],
    ["http_raw-019", `GET //v1//agents HTTP/1.1\r\n${host}\r\n`, [404]],
    ["http_raw-020", `GET /v1/agents/a%zz HTTP/1.1\r\n${host}\r\n`, [404]],
    [
      "http_raw-046",
      `GET /v1/agents HTTP/1.1\r\n${host}Origin: https://evil.example\r\nCookie: a=b\r\n\r\n`,
      [403],
    ],
    ["http_raw-050", `GET /v1/agents HTTP/1.1\r\n${host}X-Original-URL: /v1/system/status\r\n\r\n`, [200]],
    ["http_raw-051", `GET /v1/agents;x=1 HTTP/1.1\r\n${host}\r\n`, [404]],
    ["http_raw-052", `GET /V1/AGENTS HTTP/1.1\r\n${host}\r\n`, [404]],
    ["http_raw-059", `GET /v1/traces?limit=201 HTTP/1.1\r\n${host}\r\n`, [200]],
    ["http_raw-060", `GET /v1/traces?limit=abc HTTP/1.1\r\n${host}\r\n`, [400]],
    ["http_raw-066", `GET /v1/ws/agent/helper HTTP/1.1\r\n${host}${upgrade}\r\n`, [400]],
  ])("%s", async (id, bytes, statuses) => {
    expect(known).toContain(id);
    const answer = await rawRequest(daemon.port, bytes);
    expect(statuses).toContain(answer.status ?? 0);
    expect(answer.text.toLowerCase()).not.toContain("access-control-allow-origin");
    if (id === "http_raw-050") expect(JSON.parse(bodyOf(answer))).toHaveProperty("agents");
    await requireAlive();
  });

  test("http_raw-069: a flood of frames ends its own socket, and no other", async () => {
    fine();
    const other = await openSocket(daemon.url, "helper");
    const flood = await openSocket(daemon.url, "helper");
    for (let number = 0; number < 100_000; number++) flood.send("{}");
    // Bytes sent after the server has closed may make the network drop its close frame.
    expect([1008, 1006]).toContain(await flood.closed);
    other.send({ query: "hi" });
    expect(tokensOf(await other.answer())).toBe("Fine.");
    other.leave();
  });
});

async function executeTool(tool: string, input: object, session_id = "s") {
  const body = { tool, input, agent: "helper", session_id };
  return (await daemon.call("POST", "/v1/tools/execute", { body })).body.output;
}

async function execute(input: object, session: string) {
  return executeTool("cache_store", input, session);
}

/** Returns true if `text` is JSON whose numbers a double can represent. */
function isExactJson(text: string): boolean {
  try {
    JSON.parse(text);
    return !/\d{17}|e400/.test(text);
  } catch {
    return false;
  }
}
