import { expect, test } from "bun:test";
import { openEvents, openSocket } from "../../../support/agent-stream.ts";
import { agentFile, ownerHeaders, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ChatBody } from "../../../support/model-server.ts";

const block = (provider: string, more: object = {}) => ({ provider, model: `${provider}-model`, ...more });

const agents = {
  "guide.agent.yaml": agentFile("guide", {
    model: {
      primary: block("lab", { parameters: { temperature: 0.1, presence_penalty: 1 } }),
      fallbacks: [block("spare")],
    },
    prompts: { system: "You are the guide." },
  }),
};

const twoModels = () =>
  startDaemon({
    ownersToken: true,
    agents,
    models: { lab: [{ text: "From lab." }], spare: [{ text: "From spare." }] },
  });

const ask = (daemon: TestDaemon<string>, override: object, more: object = {}) =>
  daemon.run("guide", { query: "Where to?", session_id: "s", override, ...more });

const lastBody = (daemon: TestDaemon<string>, provider = "lab") =>
  daemon.models[provider]?.requests.at(-1)?.body as ChatBody;

test("another provider and model answer, for this run alone", async () => {
  await using daemon = await twoModels();
  const overridden = await ask(daemon, { provider: "spare", model: "other" });
  expect(overridden.body).toMatchObject({ response: "From spare.", provider: "spare", model: "other" });
  expect(lastBody(daemon, "spare").model).toBe("other");
  expect((await daemon.run("guide", { query: "And now?" })).body).toMatchObject({ provider: "lab" });
});

test("sampling and system prompt take the place of the agent's own, and the rest stays", async () => {
  await using daemon = await twoModels();
  const override = {
    temperature: 1.5,
    top_p: 0.5,
    max_tokens: 7,
    system_prompt: "You are {{ agent_name }}, in rhymes.",
  };
  expect((await ask(daemon, override)).status).toBe(200);
  const body = lastBody(daemon);
  expect(body).toMatchObject({ model: "lab-model", temperature: 1.5, top_p: 0.5, presence_penalty: 1 });
  expect(body.max_tokens ?? body.max_completion_tokens).toBe(7);
  expect(body.messages[0]).toEqual({ role: "system", content: "You are guide, in rhymes." });
  await daemon.run("guide", { query: "And now?", session_id: "s" });
  expect(lastBody(daemon)).toMatchObject({ temperature: 0.1 });
  // The conversation belongs to the agent, whichever model answered in it.
  expect(lastBody(daemon).messages.map(({ content }) => content)).toEqual([
    "You are the guide.",
    "Where to?",
    "From lab.",
    "And now?",
  ]);
});

test("an empty system prompt is none", async () => {
  await using daemon = await twoModels();
  await ask(daemon, { system_prompt: "" });
  expect(lastBody(daemon).messages).toEqual([{ role: "user", content: "Where to?" }]);
});

test("a request that names a model gets that model or 503; without a model, fallbacks apply", async () => {
  await using daemon = await startDaemon({
    ownersToken: true,
    agents,
    models: { lab: [{ status: 500, body: "{}" }], spare: [{ text: "From spare." }] },
  });
  expect((await ask(daemon, { model: "other" })).status).toBe(503);
  const warmer = await ask(daemon, { temperature: 0.9 });
  expect(warmer.body).toMatchObject({ provider: "spare" });
  expect(lastBody(daemon, "spare")).toMatchObject({ temperature: 0.9 });
});

test("the trace says what was overridden, under the agent's name", async () => {
  await using daemon = await twoModels();
  const { body } = await ask(daemon, { system_prompt: "Be brief.", temperature: 0 });
  const trace = (await daemon.call("GET", `/v1/traces/${body.trace_id}`)).body;
  expect(trace.spans[0].attributes).toMatchObject({
    agent: "guide",
    overridden: ["system_prompt", "temperature"],
  });
  const { traces } = (await daemon.call("GET", "/v1/traces?agent=guide")).body;
  expect(traces[0].summary).toMatchObject({ overridden: ["system_prompt", "temperature"], model_calls: 1 });
});

test("a stream and the WebSocket take an override too", async () => {
  await using daemon = await twoModels();
  const body = { query: "Where to?", override: { provider: "spare" } };
  const stream = await openEvents(daemon.url, "guide", body, "", ownerHeaders);
  expect((await stream.answer()).at(-1)).toMatchObject({ type: "done", metadata: { provider: "spare" } });
  const socket = await openSocket(daemon.url, "guide", ownerHeaders);
  socket.send(body);
  expect((await socket.answer()).at(-1)).toMatchObject({ type: "done", metadata: { provider: "spare" } });
  socket.send({ ...body, override: { provider: "nobody" } });
  expect(await socket.next()).toMatchObject({ type: "error", error: "invalid_override" });
  socket.leave();
});

test.each<[string, object, string]>([
  ["an unknown provider", { provider: "nobody" }, "override.provider"],
  ["a provider without its key", { provider: "openai" }, "override.provider"],
  ["a template that doesn't compile", { system_prompt: "{{ oops" }, "override.system_prompt"],
])("%s is refused by its place in the request", async (_name, override, path) => {
  await using daemon = await twoModels();
  const { status, body } = await ask(daemon, override);
  expect(status).toBe(400);
  expect(body.error).toBe("invalid_override");
  expect(body.problems[0].path).toBe(path);
  expect(daemon.models.lab.requests).toHaveLength(0);
});

test.each<[string, object]>([
  ["nothing", {}],
  ["an unknown name", { seed: 1 }],
  ["a temperature beyond the range", { temperature: 3 }],
  ["an answer of no tokens", { max_tokens: 0 }],
  ["an empty model", { model: "" }],
])("%s is not an override", async (_name, override) => {
  await using daemon = await twoModels();
  const { status, body } = await ask(daemon, override);
  expect([status, body.error]).toEqual([400, "invalid_request"]);
});

test("an agent that names no model is overridden over its defaults, and can be given one", async () => {
  await using daemon = await startDaemon({
    ownersToken: true,
    agents: { "guide.agent.yaml": agentFile("guide", { model: undefined }) },
    models: { lab: [{ text: "From lab." }] },
    configure: (config) => ({
      ...config,
      providers: {
        ...config.providers,
        default: {
          strategy: "quality_first",
          candidates: [{ ...block("lab"), timeout_seconds: 60, parameters: {} }],
        },
      },
    }),
  });
  await ask(daemon, { temperature: 0.7 });
  expect(lastBody(daemon)).toMatchObject({ model: "lab-model", temperature: 0.7 });
  await ask(daemon, { model: "other" });
  expect(lastBody(daemon).model).toBe("other");
});

test("a changed agent changes what overrides are made from", async () => {
  await using daemon = await twoModels();
  await ask(daemon, { temperature: 0.5 });
  const manifest = JSON.parse(agentFile("guide", { model: { primary: block("spare") } }));
  daemon.writeAgent("guide.agent.yaml", JSON.stringify(manifest));
  await daemon.clock.advance(5000);
  expect((await daemon.call("GET", "/v1/agents/guide")).body.model.primary.provider).toBe("spare");
  expect((await ask(daemon, { temperature: 0.5 })).body.provider).toBe("spare");
});

test("a recorded run replays as it was, and says what was overridden", async () => {
  await using daemon = await twoModels();
  const override = { provider: "spare", system_prompt: "Be brief." };
  const { body } = await ask(daemon, override, { record: true });
  const cassette = (await daemon.call("GET", `/v1/cassettes/${body.cassette}`)).body;
  expect(cassette.request.override).toEqual(override);
  const asked = daemon.models.spare?.requests.length;
  const replay = await daemon.call("POST", `/v1/cassettes/${body.cassette}/replay`, {
    body: { strict: true },
  });
  expect(replay.body).toMatchObject({ identical: true, warnings: [] });
  expect(daemon.models.spare?.requests).toHaveLength(asked ?? -1);
});

test("a run that waits for a person continues as it was overridden", async () => {
  const keep = { action: "set", key: "door", value: "opal" };
  await using daemon = await startDaemon({
    ownersToken: true,
    agents: {
      "guide.agent.yaml": agentFile("guide", {
        tools: [{ name: "cache_store", type: "builtin", requires_approval: true }],
      }),
    },
    models: {
      lab: ({ body }) =>
        body.messages.some(({ role }) => role === "tool")
          ? { text: "Kept." }
          : { toolCalls: [{ name: "cache_store", arguments: keep }] },
    },
  });
  const paused = await ask(daemon, { system_prompt: "Be brief.", model: "other" });
  expect(paused.status).toBe(202);
  const path = `/v1/approvals/${paused.body.approval_id}/approve`;
  const { body } = await daemon.call("POST", path, { body: {} });
  expect(body).toMatchObject({ response: "Kept.", model: "other" });
  expect(lastBody(daemon).messages[0]?.content).toBe("Be brief.");
});
