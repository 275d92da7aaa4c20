import { describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep } from "../../../support/model-server.ts";
import { until } from "../../../support/until.ts";

/** A daemon whose model answers only once `answer` is called. */
async function withSlowModel(step: ModelStep) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const daemon = await startDaemon({
    agents: { "slow.agent.yaml": agentFile("slow") },
    models: { lab: [{ ...step, after: promise }] },
  });
  return { daemon, answer: resolve };
}

const doors = [
  {
    door: "a run as events",
    open: (daemon: TestDaemon) =>
      fetch(`${daemon.url}/v1/agents/slow/run`, {
        method: "POST",
        headers: { accept: "text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({ query: "hi" }),
      }),
  },
  {
    door: "a streamed completion of an agent",
    open: (daemon: TestDaemon) => complete(daemon, "agent/slow"),
  },
  {
    door: "a streamed completion of a model",
    open: (daemon: TestDaemon) => complete(daemon, "lab/test-model"),
  },
];

const complete = (daemon: TestDaemon, model: string) =>
  fetch(`${daemon.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hi" }] }),
  });

/** Opens the stream and lets the clock pass until its head has come. */
async function headOf(daemon: TestDaemon, opened: Promise<Response>): Promise<Response> {
  let response: Response | undefined;
  void opened.then((value) => (response = value));
  await until(async () => daemon.models.lab.requests.length === 1);
  await until(async () => {
    await daemon.clock.advance(10_000);
    return response !== undefined;
  });
  return opened;
}

describe.each(doors)("$door, whose model is silent", ({ open }) => {
  test("gets its head and pings after 10 s, and then the answer", async () => {
    const { daemon, answer } = await withSlowModel({ text: "Fine." });
    await using _ = daemon;
    const response = await headOf(daemon, open(daemon));
    expect(response.status).toBe(200);
    answer();
    const text = await response.text();
    expect(text).toStartWith(": ping\n\n");
    expect(text).toContain("Fine.");
  });

  test("gets a failure after that in the stream", async () => {
    const { daemon, answer } = await withSlowModel({ status: 400, body: "{}" });
    await using _ = daemon;
    const response = await headOf(daemon, open(daemon));
    answer();
    expect(await response.text()).toMatch(/"(?:provider_failed|invalid_request)"/);
  });
});
