import { expect, test } from "bun:test";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import { until } from "../../../support/until.ts";

const template = '{"words": [{% for at in range(3000) %}"word", {% endfor %}"end"]}';

/** An agent whose tool returns some 9,000 tokens, with the window that its model block names. */
const startWith = (window: object) =>
  startDaemon({
    agents: {
      "reader.agent.yaml": agentFile("reader", {
        model: { primary: { provider: "lab", model: "test-model", ...window } },
        tools: [{ name: "json_transform", type: "builtin" }],
        orchestration: { max_tool_result_tokens: 20_000 },
      }),
    },
    models: {
      lab: ({ body }) =>
        body.messages.at(-1)?.role === "user"
          ? { toolCalls: [{ name: "json_transform", arguments: { data: 1, template } }] }
          : { text: "Read." },
    },
  });

test("a result that exceeds the window is sent shortened, says so in the trace, and replays", async () => {
  await using daemon = await startWith({ context_window: 6000 });
  const { body } = await daemon.run("reader", { query: "Read it.", record: true });
  expect(body.response).toBe("Read.");
  const sent = String(daemon.models.lab.requests.at(-1)?.body.messages.at(-1)?.content);
  expect(sent).toContain("characters left out]");
  const trace = await daemon.call("GET", `/v1/traces/${body.trace_id}`);
  expect(trace.text).toContain('"shortened_results":1');
  const report = await daemon.call("POST", `/v1/cassettes/${body.cassette}/replay`, {
    body: { strict: true },
  });
  expect(report.body).toMatchObject({ identical: true });
});

test("a window that nobody has set shortens nothing", async () => {
  await using daemon = await startWith({});
  const { body } = await daemon.run("reader", { query: "Read it.", record: true });
  expect(String(daemon.models.lab.requests.at(-1)?.body.messages.at(-1)?.content)).not.toContain("left out]");
  const report = await daemon.call("POST", `/v1/cassettes/${body.cassette}/replay`, {
    body: { strict: true },
  });
  expect(report.body).toMatchObject({ identical: true });
});

test("a wait for a throttled provider is not repeated by a replay", async () => {
  await using daemon = await startDaemon({
    agents: {
      "clock.agent.yaml": agentFile("clock", { tools: [{ name: "datetime_now", type: "builtin" }] }),
    },
    models: {
      lab: (_request, number) =>
        [
          { toolCalls: [{ name: "datetime_now", arguments: {} }] },
          { status: 429, headers: { "retry-after": "30" }, body: "{}" },
        ][number] ?? { text: "Noon." },
    },
  });
  const running = daemon.run("clock", { query: "What time is it?", record: true });
  await until(async () => {
    await daemon.clock.advance(1000);
    return daemon.models.lab.requests.length === 3;
  });
  const { body } = await running;
  expect(body.response).toBe("Noon.");
  // The clock stands still.
  const report = await daemon.call("POST", `/v1/cassettes/${body.cassette}/replay`, {
    body: { strict: true },
  });
  expect(report.body).toMatchObject({ identical: true });
});
