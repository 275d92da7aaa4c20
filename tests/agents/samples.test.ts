import { expect, test } from "bun:test";
import { openEvents, tokensOf } from "../support/agent-stream.ts";
import { chainLinks } from "../support/chain-links.ts";
import { type DaemonOptions, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { repositorySamples, sampleAgents } from "../support/sample-agents.ts";

const all = sampleAgents;
const sample = (name: string) => all[`${name}.agent.yaml`] ?? "";

const samples = (options: DaemonOptions = {}) => startDaemon({ agents: all, ...options });

async function ask(daemon: TestDaemon, agent: string, query: string, session = "s") {
  const { status, body } = await daemon.run(agent, { query, session_id: session });
  expect({ status, simulated: body.metadata?.simulated }).toEqual({ status: 200, simulated: true });
  return body;
}

/** Returns the queries of the example calls in a sample's comment. */
function exampleQueries(name: string): string[] {
  const calls = sample(name).matchAll(/^# {3}argosy run .*? (?:'([^']+)'|"([^"]+)")$/gm);
  return Array.from(calls, (call) => call[1] ?? call[2] ?? "");
}

test("each sample is loaded, and each is run below", async () => {
  await using daemon = await samples();
  const { body } = await daemon.call("GET", "/v1/agents");
  const loaded = body.agents.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`);
  const tested = [
    "bulletin",
    "concierge",
    "errand",
    "hello",
    "local-first",
    "logbook",
    "lookout",
    "notekeeper",
    "private",
    "reception",
    "scratchpad",
    "shaper",
    "support",
    "timekeeper",
  ];
  expect(loaded).toEqual(tested.map((name) => `${name} ready`));
  expect(Object.keys(all)).toEqual(tested.map((name) => `${name}.agent.yaml`));
});

test("hello answers with the time that its tool tells", async () => {
  await using daemon = await samples();
  const [query = ""] = exampleQueries("hello");
  expect(query).toContain("Tokyo");
  const { response, tool_calls } = await ask(daemon, "hello", query);
  expect(tool_calls).toEqual([
    {
      tool: "datetime_now",
      input: { timezone: "Asia/Tokyo" },
      output: {
        success: true,
        data: {
          datetime: "2026-01-01T09:00:00.000+09:00",
          timezone: "Asia/Tokyo",
          unix_timestamp: daemon.clock.now().getTime() / 1000,
        },
      },
    },
  ]);
  expect(response).toContain("2026-01-01T09:00:00.000+09:00");
});

test("private lets no personal data reach answer, memory, traces or log", async () => {
  await using daemon = await samples();
  const [query = ""] = exampleQueries("private");
  expect(query).toMatch(/ann@example\.com.*202 555 0143/);
  const result = await ask(daemon, "private", query);
  expect(result.metadata.guardrails).toMatchObject({ input_pii_redacted: true });
  const memory = await daemon.call("GET", "/v1/memory/private/history/s");
  expect(memory.body.messages[0]).toMatchObject({
    role: "user",
    content: "Write to [EMAIL] or call [PHONE]",
  });
  const trace = await daemon.call("GET", `/v1/traces/${result.trace_id}`);
  expect(trace.status).toBe(200);
  for (const text of [JSON.stringify(result), memory.text, trace.text, ...daemon.logLines()]) {
    expect(text).not.toMatch(/ann@|555 0143/);
  }
  const { status, body } = await daemon.run("private", { query: "x".repeat(4001) });
  expect([status, body.error, body.type]).toEqual([422, "guardrail_blocked", "max_length"]);
});

test("scratchpad finds in the next run of a session what it stored, and in no other session", async () => {
  await using daemon = await samples();
  const [store = "", find = ""] = exampleQueries("scratchpad");
  expect([store, find]).toEqual(['set key "door" to "4711" in the cache', 'get key "door" from the cache']);
  const stored = await ask(daemon, "scratchpad", store, "monday");
  expect(stored.tool_calls).toMatchObject([{ tool: "cache_store", output: { data: { stored: true } } }]);
  const found = await ask(daemon, "scratchpad", find, "monday");
  expect(found.tool_calls[0].output.data).toEqual({ key: "door", found: true, value: "4711" });
  expect(found.response).toContain("4711");
  const other = await ask(daemon, "scratchpad", find, "tuesday");
  expect(other.tool_calls[0].output.data).toMatchObject({ found: false });
});

test("scratchpad refuses the twenty-first note of a minute", async () => {
  await using daemon = await samples();
  const note = { tool: "cache_store", agent: "scratchpad", input: { action: "get", key: "k" } };
  const store = async () => (await daemon.call("POST", "/v1/tools/execute", { body: note })).body.output;
  for (let call = 1; call <= 20; call++) expect(await store()).toMatchObject({ success: true });
  expect(await store()).toEqual({
    success: false,
    error: "cache_store was called too often; it may be called again in 60 seconds.",
  });
});

test("shaper turns data into the shape that the template wants", async () => {
  await using daemon = await samples();
  const [query = ""] = exampleQueries("shaper");
  const { tool_calls } = await ask(daemon, "shaper", query);
  expect(tool_calls).toEqual([
    {
      tool: "json_transform",
      input: { data: [3, 1, 2], template: "{{ data | sort | tojson }}" },
      output: { success: true, data: [1, 2, 3] },
    },
  ]);
});

test("support knows from the context whom it talks to, and remembers the last ten messages", async () => {
  const model = /^ {2}model:\n {4}primary: .*$/m;
  expect(sample("support")).toMatch(model);
  const withModel = sample("support").replace(model, "  model: {primary: {provider: lab, model: m}}");
  await using daemon = await startDaemon({
    agents: { "support.agent.yaml": withModel },
    models: { lab: [{ text: "Sure." }] },
  });
  const context = { customer: { name: "Ann", plan: "gold" } };
  for (let number = 1; number <= 7; number++) {
    const { status } = await daemon.run("support", { query: `Question ${number}`, session_id: "s", context });
    expect(status).toBe(200);
  }
  const [system, ...said] = daemon.models.lab.requests.at(-1)?.body.messages ?? [];
  expect(system?.content).toBe(
    [
      "You are support, First line of the help desk.",
      "Today is 2026-01-01.",
      "You are talking to Ann, who has the gold plan.",
      "Tools you may use:",
      "- datetime_now: Tells the current date and time, in a time zone if one is given.",
      "",
    ].join("\n"),
  );
  expect(said.map(({ content }) => content)).toEqual([
    ...[2, 3, 4, 5, 6].flatMap((number) => [`Question ${number}`, "Sure."]),
    "Question 7",
  ]);
  await daemon.run("support", { query: "And me?" });
  expect(daemon.models.lab.requests.at(-1)?.body.messages[0]?.content).not.toContain("talking to");
});

test("a first start over the folder finds no fault with its providers", async () => {
  await using daemon = await startDaemon({
    agents: repositorySamples,
    configure: (config) => ({ ...config, providers: { ...config.providers, providers: {} } }),
  });
  const { body } = await daemon.call("GET", "/v1/system/doctor");
  const providers = body.checks.find(({ name }: { name: string }) => name === "providers");
  expect(providers).toMatchObject({ status: "healthy" });
});

test("local-first can be tried without any of its models", async () => {
  const rehearsing: DaemonOptions = {
    configure: (config) => ({ ...config, models: { ...config.models, rehearse: true } }),
  };
  await using daemon = await samples(rehearsing);
  const [query = ""] = exampleQueries("local-first");
  const { response, provider } = await ask(daemon, "local-first", query);
  expect(provider).toBe("rehearsal");
  expect(response).toContain("timezone is America/Lima");
  const { body } = await daemon.call("GET", "/v1/agents/local-first");
  expect(body.model.routing).toMatchObject({ strategy: "quality_first" });
  const long = await daemon.run("local-first", { query: "x".repeat(8001) });
  expect([long.status, long.body.error]).toEqual([422, "guardrail_blocked"]);
});

test("errand does the steps of its plan in order, the second with what the first left", async () => {
  await using daemon = await samples();
  const [query = ""] = exampleQueries("errand");
  expect(query).toContain("then get");
  const { response, tool_calls, metadata } = await ask(daemon, "errand", query);
  expect(tool_calls).toMatchObject([
    { tool: "cache_store", input: { action: "set" }, output: { data: { stored: true } } },
    { tool: "cache_store", input: { action: "get" }, output: { data: { found: true, value: "4711" } } },
  ]);
  expect(response).toContain("value is 4711");
  expect(metadata).toMatchObject({ pattern: "plan_and_execute", iterations: 6 });
});

test("lookout asks for several times at once and answers with all of them", async () => {
  await using daemon = await samples();
  const [query = ""] = exampleQueries("lookout");
  const { response, tool_calls, metadata } = await ask(daemon, "lookout", query);
  const zones = tool_calls.map(({ input }: { input: { timezone: string } }) => input.timezone);
  expect(zones.sort()).toEqual(["Africa/Nairobi", "America/Lima", "Asia/Tokyo"]);
  for (const zone of zones) expect(response).toContain(`timezone is ${zone}`);
  expect(metadata).toMatchObject({ pattern: "parallel_fan_out", iterations: 8 });

  const streamed = await openEvents(daemon.url, "lookout", { query, session_id: "streamed" });
  const frames = await streamed.answer();
  expect(tokensOf(frames)).toBe(response);
  const steps = frames.flatMap((frame) => (frame.type === "step" ? frame.name : []));
  expect(steps.sort()).toEqual(["plan", "subtask 1", "subtask 2", "subtask 3"]);
  const ids = frames.flatMap((frame) => (frame.type === "tool_call" ? frame.id : []));
  expect(ids.sort()).toEqual(["1.call_1", "2.call_1", "3.call_1"]);
});

test("bulletin collects, then writes from what was collected", async () => {
  await using daemon = await samples();
  const [query = ""] = exampleQueries("bulletin");
  const { response, tool_calls, metadata } = await ask(daemon, "bulletin", query);
  expect(tool_calls).toMatchObject([{ tool: "datetime_now", input: { timezone: "Africa/Nairobi" } }]);
  expect(response).toContain("timezone is Africa/Nairobi");
  expect(metadata).toMatchObject({ pattern: "pipeline", iterations: 3 });
});

test("timekeeper and notekeeper work by themselves", async () => {
  await using daemon = await samples();
  const [time = ""] = exampleQueries("timekeeper");
  expect((await ask(daemon, "timekeeper", time)).response).toContain("timezone is America/Lima");
  const [note = ""] = exampleQueries("notekeeper");
  expect((await ask(daemon, "notekeeper", note)).response).toContain("stored is true");
});

test("concierge asks both workers at once and answers from what they say", async () => {
  await using daemon = await samples();
  const [query = ""] = exampleQueries("concierge");
  const { response, tool_calls, metadata } = await ask(daemon, "concierge", query);
  expect(tool_calls).toMatchObject([
    { tool: "time", output: { success: true } },
    { tool: "notes", output: { success: true } },
  ]);
  expect(response).toContain("timezone is America/Lima");
  expect(response).toContain("stored is true");
  expect(metadata).toMatchObject({ pattern: "supervisor", iterations: 2 });
});

test("reception hands each guest over to the member who can help", async () => {
  await using daemon = await samples();
  const queries = exampleQueries("reception");
  expect(queries).toHaveLength(2);
  const called = [];
  for (const query of queries) {
    const { tool_calls, metadata } = await ask(daemon, "reception", query);
    expect(metadata).toMatchObject({ pattern: "swarm", iterations: 3 });
    called.push(tool_calls.map(({ tool }: { tool: string }) => tool));
  }
  expect(called).toEqual([
    ["time", "datetime_now"],
    ["notes", "cache_store"],
  ]);
});

test("logbook has its entries filed, with the time where they ask for it", async () => {
  await using daemon = await samples();
  const [plain = "", timed = ""] = exampleQueries("logbook");
  expect([plain, timed]).toEqual(["The gate squeaks.", "Note the time in Lima."]);
  const filed = async () =>
    (await ask(daemon, "notekeeper", 'get key "last" from the cache')).tool_calls[0].output.data.value;
  const stored = "1 logbook → notekeeper: success, cache_store answered: key is last and stored is true.";
  const first = await ask(daemon, "logbook", plain);
  expect(chainLinks(first.chain)).toEqual([
    "1 logbook → timekeeper: skipped, condition_false",
    expect.stringContaining(stored),
  ]);
  expect(await filed()).toBe("The gate squeaks.");
  const second = await ask(daemon, "logbook", timed);
  expect(chainLinks(second.chain)).toEqual([
    expect.stringMatching(/^1 logbook → timekeeper: success, .*America\/Lima/),
    expect.stringContaining(stored),
  ]);
  expect([second.chain.status, second.response]).toEqual(["completed", expect.stringContaining(timed)]);
  expect(await filed()).toMatch(/^datetime_now answered: datetime is 2025-12-31T19:00/);
});
