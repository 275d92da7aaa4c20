import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ChatBody, ModelStep, RecordedRequest } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let client: OpenAI;
let script: (request: RecordedRequest) => ModelStep;

const model = { primary: { provider: "lab", model: "test-model" } };

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        model,
        tools: [{ name: "datetime_now", type: "builtin" }],
      }),
      "planner.agent.yaml": agentFile("planner", { model, orchestration: { pattern: "plan_and_execute" } }),
      "asking.agent.yaml": agentFile("asking", {
        model,
        tools: [{ name: "datetime_now", type: "builtin", requires_approval: true }],
      }),
      "rehearsing.agent.yaml": agentFile("rehearsing", {
        model: { primary: { provider: "rehearsal", model: "rehearsal" } },
      }),
    },
  });
  client = new OpenAI({ apiKey: "unused", baseURL: `${daemon.url}/v1`, maxRetries: 0 });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const say = (...steps: ModelStep[]) => {
  const left = [...steps];
  script = () => (left.length > 1 ? left.shift() : left[0]) ?? {};
};
function sent(): ChatBody {
  const body = daemon.models.lab.requests.at(-1)?.body;
  if (body === undefined) throw new Error("The model was not asked.");
  return body;
}

const ask = [{ role: "user" as const, content: "Where does Ann live?" }];
const person = {
  type: "object",
  properties: { name: { type: "string" }, city: { type: "string" } },
  required: ["name", "city"],
  additionalProperties: false,
};
const shaped = {
  type: "json_schema" as const,
  json_schema: { name: "person", schema: person, strict: true },
};
const ann = { name: "Ann", city: "Lima" };
const annJson = JSON.stringify(ann);
const targets = ["agent/helper", "lab/test-model"];

describe.each(targets)("response_format for %s", (target) => {
  test("json_schema reaches a model that can be held to it", async () => {
    say({ text: annJson });
    const { choices } = await client.chat.completions.parse({
      model: "lab/test-model",
      messages: ask,
      response_format: shaped,
    });
    expect(choices[0]?.message.parsed).toEqual(ann);
    expect(sent().response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "person", schema: person, strict: true },
    });
  });

  test.each([
    ["JSON alone", annJson],
    ["JSON in a fence", `Here it is:\n\`\`\`json\n${annJson}\n\`\`\``],
    ["JSON before words", `${annJson}\nAnything else?`],
    ["JSON behind words", `Ann lives there: ${annJson}`],
    ["braces in texts", `{"name":"A}n\\"n{","city":"Lima"} done`],
  ])("the answer is the JSON alone, of %s", async (_what, text) => {
    say({ text });
    for (const stream of [false, true]) {
      const asked = { model: target, messages: ask, response_format: shaped };
      const content = stream
        ? await client.chat.completions.stream(asked).finalContent()
        : (await client.chat.completions.create(asked)).choices[0]?.message.content;
      expect(JSON.parse(content ?? "")).toMatchObject({ city: "Lima" });
    }
  });

  test("an answer without JSON stays as it is", async () => {
    say({ text: "I don't know." });
    const { choices } = await client.chat.completions.create({
      model: target,
      messages: ask,
      response_format: { type: "json_object" },
    });
    expect(choices[0]?.message.content).toBe("I don't know.");
  });

  test("the model gets the schema once, in its one system message", async () => {
    say({ text: annJson });
    await client.chat.completions.create({
      model: target,
      messages: [{ role: "system", content: "Be brief." }, ...ask],
      response_format: shaped,
    });
    const systems = sent().messages.filter(({ role }) => role === "system");
    expect(systems.filter(({ content }) => String(content).includes("JSON Schema:"))).toHaveLength(1);
  });

  test.each([
    [{ type: "object", properties: { a: { type: "string", pattern: "(?=a)" } } }, "properties.a.pattern"],
    [{ type: "object", "x-unknown": 1 }, "x-unknown"],
  ])("a schema that can't be checked is 400 and named: %j", async (schema, where) => {
    const asked = client.chat.completions.create({
      model: target,
      messages: ask,
      response_format: { type: "json_schema", json_schema: { name: "x", schema } },
    });
    expect(await asked.catch((thrown: unknown) => thrown)).toMatchObject({
      status: 400,
      param: `response_format.json_schema.schema.${where}`,
    });
  });
});

test("a schema may name the draft that a client's library writes", async () => {
  say({ text: annJson });
  const schema = { $schema: "http://json-schema.org/draft-07/schema#", ...person };
  const { choices } = await client.chat.completions.create({
    model: "agent/helper",
    messages: ask,
    response_format: { type: "json_schema", json_schema: { name: "person", schema } },
  });
  expect(choices[0]?.message.content).toBe(annJson);
});

describe("tool_choice", () => {
  const save = { type: "function" as const, function: { name: "save", parameters: person } };
  const other = { type: "function" as const, function: { name: "other", parameters: { type: "object" } } };
  const forced = { type: "function" as const, function: { name: "save" } };

  test.each([
    ["required", "required" as const],
    ["one function", forced],
  ])("%s reaches the model", async (_what, tool_choice) => {
    say({ toolCalls: [{ name: "save", arguments: ann }] });
    const { choices } = await client.chat.completions.create({
      model: "lab/test-model",
      messages: ask,
      tools: [save, other],
      tool_choice,
    });
    expect(sent().tool_choice as unknown).toEqual(tool_choice);
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "save" } }]);
  });

  test("a model that makes no call although it must is 502", async () => {
    say({ text: "No." });
    const asked = client.chat.completions.create({
      model: "lab/test-model",
      messages: ask,
      tools: [save],
      tool_choice: "required",
    });
    expect(await asked.catch((thrown: unknown) => thrown)).toMatchObject({
      status: 502,
      code: "provider_failed",
    });
  });

  test("parallel_tool_calls: false lets one call through", async () => {
    say({
      toolCalls: [
        { name: "save", arguments: ann },
        { name: "save", arguments: ann },
      ],
    });
    for (const parallel_tool_calls of [true, false]) {
      const { choices } = await client.chat.completions.create({
        model: "lab/test-model",
        messages: ask,
        tools: [save],
        parallel_tool_calls,
      });
      expect(choices[0]?.message.tool_calls).toHaveLength(parallel_tool_calls ? 2 : 1);
    }
  });

  test.each([
    [{ tools: [save], tool_choice: { type: "function", function: { name: "nothing" } } }, "nothing"],
    [{ tool_choice: "required" }, "needs tools"],
  ])("%j is refused", async (wrong, why) => {
    const body = { model: "lab/test-model", messages: ask, ...wrong };
    const asked = client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming);
    expect(String(await asked.catch((thrown: unknown) => thrown))).toContain(why);
  });

  test.each(["required" as const, forced])("an agent answers by the one call %j", async (tool_choice) => {
    say({ text: `Sure.\n\`\`\`json\n${annJson}\n\`\`\`` });
    const { choices } = await client.chat.completions.create({
      model: "agent/helper",
      messages: ask,
      tools: [save],
      tool_choice,
      parallel_tool_calls: false,
    });
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: null, tool_calls: [{ function: { name: "save" } }] },
    });
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual(ann);
  });

  test("an agent's answer of another shape is 422", async () => {
    say({ text: '{"name": 3}' });
    const asked = client.chat.completions.create({
      model: "agent/helper",
      messages: ask,
      tools: [save],
      tool_choice: forced,
    });
    expect(await asked.catch((thrown: unknown) => thrown)).toMatchObject({
      status: 422,
      code: "answer_not_in_shape",
    });
  });

  test("tools for an agent are 400: it has its own", async () => {
    for (const wrong of [{ tools: [save] }, { tools: [save, other], tool_choice: "required" as const }]) {
      const asked = client.chat.completions.create({ model: "agent/helper", messages: ask, ...wrong });
      expect(await asked.catch((thrown: unknown) => thrown)).toMatchObject({ status: 400, param: "tools" });
    }
  });

  test("response_format for a run that may wait for a person is 400", async () => {
    const asked = client.chat.completions.create({
      model: "agent/asking",
      messages: ask,
      response_format: shaped,
    });
    expect(await asked.catch((thrown: unknown) => thrown)).toMatchObject({
      status: 400,
      param: "response_format",
    });
  });
});

test("the rehearsal gives JSON of the shape", async () => {
  const { choices } = await client.chat.completions.parse({
    model: "agent/rehearsing",
    messages: ask,
    response_format: shaped,
  });
  expect(choices[0]?.message.parsed).toMatchObject({ name: expect.any(String), city: expect.any(String) });
});

describe("images", () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const shown = (address: string): OpenAI.ChatCompletionMessageParam[] => [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: address } },
      ],
    },
  ];

  test.each([...targets, "agent/planner"])("reach the model from %s", async (target) => {
    say({ text: "A dot." });
    const { choices } = await client.chat.completions.create({ model: target, messages: shown(url) });
    expect(choices[0]?.message.content).toBe("A dot.");
    const content = sent().messages.at(-1)?.content;
    expect(content).toContainEqual({ type: "image_url", image_url: { url } });
  });

  test("are not kept in a session", async () => {
    say({ text: "A dot." });
    for (const messages of [shown(url), [{ role: "user" as const, content: "Again?" }]])
      await client.chat.completions.create({ model: "agent/helper", messages, user: "looker" });
    expect(JSON.stringify(sent().messages)).not.toContain("image_url");
    expect(JSON.stringify(sent().messages)).toContain("What is this?");
  });

  test.each([
    ["http://127.0.0.1:1/a.png", "data: URL"],
    ["data:image/svg+xml;base64,AAAA", "data: URL"],
    ["data:image/tiff;base64,AAAA", "image/tiff"],
    ["data:image/png;base64,", "base64"],
    ["data:image/png;base64,a b=", "base64"],
  ])("%s is 400", async (address, why) => {
    const asked = client.chat.completions.create({ model: "agent/helper", messages: shown(address) });
    const refusal = await asked.catch((thrown: unknown) => thrown);
    expect(refusal).toMatchObject({ status: 400, param: "messages[0].content[1].image_url.url" });
    expect(String(refusal)).toContain(why);
  });

  test("belong to users' messages; in another they are 400", async () => {
    const parts = [{ type: "image_url", image_url: { url } }];
    const messages = [{ role: "assistant", content: parts }, ...ask] as OpenAI.ChatCompletionMessageParam[];
    const asked = client.chat.completions.create({ model: "agent/helper", messages });
    expect(await asked.catch((thrown: unknown) => thrown)).toMatchObject({ status: 400 });
  });
});

describe("GET /v1/models/{id}", () => {
  test.each(["agent/helper", "agent%2Fhelper"])("finds %s", async (id) => {
    const response = await fetch(`${daemon.url}/v1/models/${id}`);
    expect(await response.json()).toMatchObject({ id: "agent/helper", object: "model" });
  });

  test("is what the client's retrieve asks", async () => {
    expect(await client.models.retrieve("agent/helper")).toMatchObject({ owned_by: "argosy" });
  });

  test.each(["agent/nobody", "agent/broken/too", "x"])("%s is 404", async (id) => {
    const asked = client.models.retrieve(id);
    expect(await asked.catch((thrown: unknown) => thrown)).toMatchObject({
      status: 404,
      code: "model_not_found",
    });
  });
});

describe("embeddings", () => {
  test.each(["float" as const, "base64" as const, undefined])("come as %p", async (encoding_format) => {
    const { data, usage } = await client.embeddings.create({
      model: "local_hash",
      input: ["red apples", "apples that are red", "the tax office"],
      ...(encoding_format && { encoding_format }),
    });
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    const floats = data.map(({ embedding }) =>
      typeof embedding === "string"
        ? [...new Float32Array(Uint8Array.from(Buffer.from(embedding, "base64")).buffer)]
        : embedding,
    );
    const [one = [], two = [], three = []] = floats;
    const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    expect(dot(one, one)).toBeCloseTo(1, 5);
    expect(dot(one, two)).toBeGreaterThan(dot(one, three));
    expect(usage.prompt_tokens).toBeGreaterThan(0);
  });

  test("take dimensions where the embedder does", async () => {
    const { data } = await client.embeddings.create({
      model: "local_hash",
      input: "a",
      dimensions: 256,
      encoding_format: "float",
    });
    expect(data[0]?.embedding).toHaveLength(256);
  });

  test.each([
    [{ model: "nothing", input: "a" }, 404, "model_not_found"],
    [{ model: "openai/text-embedding-3-small", input: "a" }, 404, "model_not_found"],
    [{ model: "local_hash/x", input: "a" }, 404, "model_not_found"],
    [{ model: "local_hash", input: "" }, 400, "invalid_request"],
    [{ model: "local_hash", input: ["a", " "] }, 400, "invalid_request"],
    [{ model: "local_hash", input: [] }, 400, "invalid_request"],
    [{ model: "local_hash", input: [1, 2] }, 400, "invalid_request"],
    [{ model: "local_hash", input: "a", dimensions: 3 }, 400, "invalid_request"],
  ])("%j is refused", async (body, status, code) => {
    const response = await fetch(`${daemon.url}/v1/embeddings`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });
});
