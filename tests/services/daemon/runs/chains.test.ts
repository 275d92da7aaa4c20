import { expect, test } from "bun:test";
import { type AgentStream, openEvents, openSocket, tokensOf } from "../../../support/agent-stream.ts";
import { chainLinks } from "../../../support/chain-links.ts";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import type { ModelScript, RecordedRequest } from "../../../support/model-server.ts";

/** Each agent says its name, which is in its system prompt. */
const names: ModelScript = (request) => ({ text: [nameOf(request), " speaks."] });

function nameOf({ body }: RecordedRequest): string {
  return /^You are (.*)\.$/.exec(String(body.messages[0]?.content))?.[1] ?? "nobody";
}

const chain = (...on_complete: Record<string, unknown>[]) => ({ chain: { on_complete } });

const desk = {
  "desk.agent.yaml": agentFile(
    "desk",
    chain({ agent: "clerk", when: "{{ 'desk' in output.answer }}" }, { agent: "guard", when: "no" }),
  ),
  "clerk.agent.yaml": agentFile("clerk", chain({ agent: "archive" })),
  "archive.agent.yaml": agentFile("archive"),
  "guard.agent.yaml": agentFile("guard"),
};

const links = [
  "1 desk → clerk: success, clerk speaks.",
  "2 clerk → archive: success, archive speaks.",
  "1 desk → guard: skipped, condition_false",
];

test("the result of a run tells of its chain, and the trace holds all of it", async () => {
  await using daemon = await startDaemon({ agents: desk, models: { lab: names } });
  const { status, body } = await daemon.run("desk", { query: "Hi", session_id: "s" });
  expect([status, body.response]).toEqual([200, "desk speaks."]);
  expect(chainLinks(body.chain)).toEqual(links);
  expect(body.chain).toMatchObject({ status: "completed", mode: "sequential", run_id: expect.any(String) });
  expect(body.usage).toEqual({ input_tokens: 30, output_tokens: 15, total_tokens: 45 });

  const { body: trace } = await daemon.call("GET", `/v1/traces/${body.trace_id}`);
  const tree = trace.spans.filter(({ name }: { name: string }) => /^agent|^chain/.test(name));
  expect(
    tree.map(
      ({ name, attributes }: { name: string; attributes: { agent: string } }) =>
        `${name} ${attributes.agent}`,
    ),
  ).toEqual([
    "agent.run desk",
    "chain.link clerk",
    "agent.run clerk",
    "chain.link archive",
    "agent.run archive",
  ]);
  const { body: traces } = await daemon.call("GET", "/v1/traces/");
  expect(traces.traces).toHaveLength(1);

  const { body: memory } = await daemon.call("GET", "/v1/memory/clerk/history/s");
  expect(memory.messages).toMatchObject([{ content: "desk speaks." }, { content: "clerk speaks." }]);
});

test.each<[string, (url: string) => Promise<AgentStream>]>([
  ["an event stream", (url) => openEvents(url, "desk", { query: "Hi" })],
  [
    "a WebSocket",
    async (url) => {
      const socket = await openSocket(url, "desk");
      socket.send({ query: "Hi" });
      return socket;
    },
  ],
])("%s shows the answer's tokens, a step for each link, and the chain in `done`", async (_, open) => {
  await using daemon = await startDaemon({ agents: desk, models: { lab: names } });
  const stream = await open(daemon.url);
  const frames = await stream.answer();
  expect(tokensOf(frames)).toBe("desk speaks.");
  expect(frames.filter(({ type }) => type !== "token").slice(0, -1)).toEqual([
    { type: "step", name: "clerk", content: "clerk speaks." },
    { type: "step", name: "archive", content: "archive speaks." },
  ]);
  const done = frames.at(-1);
  if (done?.type !== "done") throw new Error(`ended with ${JSON.stringify(done)}`);
  expect(done.response).toBe("desk speaks.");
  expect(chainLinks(done.chain)).toEqual(links);
  stream.leave();
});

test("a client that leaves while a link is at work stops it", async () => {
  const never = new Promise<never>(() => {});
  const asked = Promise.withResolvers<RecordedRequest>();
  const script: ModelScript = (request) => {
    if (nameOf(request) !== "clerk") return { text: "desk speaks." };
    asked.resolve(request);
    return { text: "late", after: never };
  };
  await using daemon = await startDaemon({ agents: desk, models: { lab: script } });
  const stream = await openEvents(daemon.url, "desk", { query: "Hi", session_id: "s" });
  await stream.next();
  const { cut } = await asked.promise;
  stream.leave();
  await cut;
  const { body } = await daemon.call("GET", "/v1/memory/desk/history/s");
  expect(body.messages).toHaveLength(2);
});

test("agents whose chains or tools refer to missing agents are 503 with the path; the others run, and all recover", async () => {
  await using daemon = await startDaemon({
    agents: {
      "a.agent.yaml": agentFile("a", chain({ agent: "b" })),
      "b.agent.yaml": agentFile("b", chain({ agent: "c" })),
      "x.agent.yaml": agentFile("x", chain({ agent: "y" })),
      "y.agent.yaml": agentFile("y", chain({ agent: "x" })),
      "asks.agent.yaml": agentFile("asks", {
        tools: [{ name: "ask_c", type: "agent", config: { agent: "c" } }],
      }),
      "free.agent.yaml": agentFile("free"),
    },
    models: { lab: names },
  });
  const states = async () => {
    const { body } = await daemon.call("GET", "/v1/agents");
    return Object.fromEntries(
      body.agents.map(({ name, status, error = "" }: Record<string, string>) => [
        name,
        `${status} ${error}`.trim(),
      ]),
    );
  };
  const before = await states();
  expect(before).toMatchObject({
    a: expect.stringMatching(/^failed .*on_complete\[0\]\.agent is an agent that can't be loaded: b/),
    b: expect.stringMatching(/^failed .*on_complete\[0\]\.agent is not a loaded agent: c/),
    x: expect.stringMatching(/^failed .*spec\.chain\.on_complete leads in a cycle: x → y → x/),
    y: expect.stringMatching(/^failed .*leads in a cycle: y → x → y/),
    asks: expect.stringMatching(/^failed .*tools\[0\]\.config\.agent is not a loaded agent: c/),
    free: "ready",
  });
  const refused = await daemon.run("a", { query: "Hi" });
  expect([refused.status, refused.body.error]).toEqual([503, "agent_failed"]);

  daemon.writeAgent("c.agent.yaml", agentFile("c"));
  daemon.writeAgent("y.agent.yaml", agentFile("y"));
  await daemon.clock.advance(3000);
  expect(Object.values(await states())).toEqual(Array(7).fill("ready"));
  const { body } = await daemon.run("a", { query: "Hi" });
  expect(chainLinks(body.chain)).toEqual(["1 a → b: success, b speaks.", "2 b → c: success, c speaks."]);
});

test("an agent with a faulty template is 503, with the template's place in the file", async () => {
  const text = [
    "apiVersion: platform/v1",
    "kind: Agent",
    "metadata: {name: a}",
    "spec:",
    "  model: {primary: {provider: lab, model: m}}",
    "  chain:",
    "    on_complete:",
    '      - {agent: b, when: "{{ output.answer =! 1 }}"}',
  ].join("\n");
  await using daemon = await startDaemon({
    agents: { "a.agent.yaml": text, "b.agent.yaml": agentFile("b") },
    models: { lab: names },
  });
  const { status, body } = await daemon.run("a", { query: "Hi" });
  expect([status, body.error]).toEqual([503, "agent_failed"]);
  expect(body.problems[0]).toMatchObject({ path: "spec.chain.on_complete[0].when", line: 8 });
});
