import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ChatBody, ModelStep, RecordedRequest } from "../../../support/model-server.ts";

const trip = { output_schema: { city: "string", days: "integer" } };
const json = '{"city":"Lima","days":3}';
const fenced = `Take this:\n\`\`\`json\n${json}\n\`\`\``;

let daemon: TestDaemon;
let script: (request: RecordedRequest) => ModelStep;

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "trip.agent.yaml": agentFile("trip", trip),
      "guide.agent.yaml": agentFile("guide", { ...trip, tools: [{ name: "datetime_now", type: "builtin" }] }),
      "plain.agent.yaml": agentFile("plain"),
      "broken.agent.yaml": [
        "apiVersion: platform/v1",
        "kind: Agent",
        "metadata: {name: broken}",
        "spec:",
        "  model: {primary: {provider: lab, model: test-model}}",
        "  output_schema:",
        "    type: object",
        "    properties:",
        "      city: {type: strin}",
      ].join("\n"),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const say = (step: ModelStep) => {
  script = () => step;
};
const bodies = (): ChatBody[] => daemon.models.lab.requests.map(({ body }) => body);

async function runOf(agent: string, answer: string) {
  say({ text: answer });
  const { status, body } = await daemon.run(agent, { query: "where to?" });
  expect(status).toBe(200);
  return body;
}

describe("a run's result", () => {
  test("has the data beside the answer", async () => {
    expect(await runOf("trip", fenced)).toMatchObject({
      response: fenced,
      data: { city: "Lima", days: 3 },
    });
  });
  test("has no data, and why, with status 200", async () => {
    const body = await runOf("trip", "To Lima.");
    expect(body).toMatchObject({ response: "To Lima.", data: null });
    expect(body.data_error).toContain("holds no JSON");
  });
  test("has neither where none is declared", async () => {
    const body = await runOf("plain", fenced);
    expect([Object.hasOwn(body, "data"), Object.hasOwn(body, "data_error")]).toEqual([false, false]);
  });
});

test("the last frame of a stream has the data; the tokens are the answer", async () => {
  say({ text: fenced });
  const response = await fetch(`${daemon.url}/v1/agents/trip/run`, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ query: "where to?" }),
  });
  const frames = (await response.text())
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)));
  const tokens = frames.filter(({ type }) => type === "token").map(({ content }) => content);
  expect(tokens.join("")).toBe(fenced);
  expect(frames.at(-1)).toMatchObject({ type: "done", response: fenced, data: { city: "Lima", days: 3 } });
});

test("OpenAI's route answers with the text unchanged", async () => {
  say({ text: fenced });
  const { body } = await daemon.call("POST", "/v1/chat/completions", {
    body: { model: "agent/trip", messages: [{ role: "user", content: "where to?" }] },
  });
  expect(body.choices[0].message).toMatchObject({ role: "assistant", content: fenced });
  expect(body).not.toHaveProperty("data");
});

describe("the model server", () => {
  test("is asked for the shape where no tools are on offer, and not where some are", async () => {
    await runOf("trip", json);
    expect(bodies().at(-1)?.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "answer", strict: true, schema: { required: ["city", "days"] } },
    });
    await runOf("guide", json);
    expect(bodies().at(-1)).not.toHaveProperty("response_format");
    await runOf("plain", json);
    expect(bodies().at(-1)).not.toHaveProperty("response_format");
  });

  test("that refuses shapes is asked without, and not for shapes again", async () => {
    script = ({ body }) =>
      body.response_format === undefined
        ? { text: fenced }
        : { status: 400, body: '{"error":{"message":"This response_format type is unavailable now"}}' };
    await using other = await startDaemon({
      models: { lab: (request) => script(request) },
      agents: { "trip.agent.yaml": agentFile("trip", trip) },
    });
    for (const expected of [2, 3, 4]) {
      const { body } = await other.run("trip", { query: "where to?" });
      expect(body.data).toEqual({ city: "Lima", days: 3 });
      expect(other.models.lab.requests).toHaveLength(expected);
    }
  });
});

test("a schema that can't be used refuses the agent, with file and line", async () => {
  const { body } = await daemon.call("GET", "/v1/agents");
  const broken = body.agents.find(({ name }: { name: string }) => name === "broken");
  expect(broken.status).toBe("failed");
  expect(broken.error).toContain(
    "agents/broken.agent.yaml:9:20: spec.output_schema.properties.city.type must be one of",
  );
});
