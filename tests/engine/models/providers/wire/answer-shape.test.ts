import { describe, expect, test } from "bun:test";
import type { ModelRequest } from "../../../../../src/engine/models/model.ts";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import type { AnswerSchema } from "../../../../../src/engine/structured/structured-output.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { readAnswer } from "../../../../support/read-answer.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

const closed = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const tool = { name: "t", description: "", parameters: { type: "object" } };

const wholeAnswers: Record<string, object> = {
  anthropic: { type: "message", content: [{ type: "text", text: "ok" }], stop_reason: "end_turn" },
  cohere: { message: { content: [{ type: "text", text: "ok" }] }, finish_reason: "COMPLETE" },
  ollama: { message: { content: "ok" }, done: true },
};
const compatibleAnswer = { choices: [{ message: { content: "ok" }, finish_reason: "stop" }] };

type Respond = (body: Record<string, unknown>, call: number) => Response | undefined;

/** A model of that kind, and the bodies that it sends; `respond` returns the server's errors. */
function modelOf(kind: string, respond: Respond = () => undefined, endpoint = "http://m.example") {
  const bodies: Record<string, unknown>[] = [];
  const model = findProviderKind(kind)?.build(
    { provider: "p", model: "m", endpoint, apiKey: "k", parameters: {}, timeoutMs: 1000 },
    {
      clock: new FakeClock(),
      newId,
      fetch: async (_url, init) => {
        const body = JSON.parse(String(init.body)) as Record<string, unknown>;
        const special = respond(body, bodies.push(body));
        return special ?? Response.json(wholeAnswers[kind] ?? compatibleAnswer);
      },
    },
  );
  if (!model) throw new Error(`no kind ${kind}`);
  return { model, bodies };
}

const shaped = (schema: Record<string, unknown>, fields: Partial<ModelRequest> = {}): ModelRequest => ({
  ...requestOf("hi", { stream: false }),
  answerSchema: { name: "answer", schema },
  ...fields,
});

/** Returns the part of the body that requests a format; undefined if there is none. */
function shapeIn(body: Record<string, unknown> | undefined): unknown {
  return body?.response_format ?? body?.format ?? body?.output_config;
}

async function sentShape(kind: string, request: ModelRequest): Promise<unknown> {
  const { model, bodies } = modelOf(kind);
  const { text, failure } = await readAnswer(model, request);
  expect([text, failure]).toEqual(["ok", undefined]);
  return shapeIn(bodies[0]);
}

const jsonSchema = (schema: object, strict: boolean) => ({
  type: "json_schema",
  json_schema: { name: "answer", schema, strict },
});

describe("a model is held to the shape of its answer by its vendor's own means:", () => {
  const table: [kind: string, expected: (schema: object) => object][] = [
    ["openai", (schema) => jsonSchema(schema, true)],
    ["vllm", (schema) => jsonSchema(schema, true)],
    ["llamacpp", (schema) => jsonSchema(schema, true)],
    ["mistral", (schema) => jsonSchema(schema, true)],
    ["groq", (schema) => jsonSchema(schema, false)],
    ["hf_tgi", (schema) => ({ type: "json", value: schema })],
    ["ollama", (schema) => schema],
    ["cohere", (schema) => ({ type: "json_object", json_schema: schema })],
    ["anthropic", (schema) => ({ format: { type: "json_schema", schema } })],
  ];
  test.each(table)("%s", async (kind, expected) => {
    expect(await sentShape(kind, shaped(closed))).toEqual(expected(closed));
  });

  test.each(table.map(([kind]) => [kind]))("%s, never beside tools, nor unasked", async (kind) => {
    expect(await sentShape(kind, shaped(closed, { tools: [tool] }))).toBeUndefined();
    expect(await sentShape(kind, shaped(closed, { tools: [tool], toolChoice: "none" }))).toBeUndefined();
    expect(await sentShape(kind, requestOf("hi", { stream: false }))).toBeUndefined();
  });

  test("Ollama's compatible route is asked as the others are", async () => {
    const answer = () => Response.json(compatibleAnswer);
    const { model, bodies } = modelOf("ollama", answer, "http://m.example/v1");
    expect((await readAnswer(model, shaped(closed))).text).toBe("ok");
    expect(shapeIn(bodies[0])).toEqual(jsonSchema(closed, true));
  });

  test("streams are held to it too, except where the vendor can't", async () => {
    const streamed = shaped(closed, { stream: true });
    expect(await sentShape("groq", streamed)).toBeUndefined();
    for (const [kind, expected] of table) {
      if (kind !== "groq") expect(await sentShape(kind, streamed)).toEqual(expected(closed));
    }
  });

  test("each shape is sent as it is, also by one model", async () => {
    const { model, bodies } = modelOf("ollama");
    const other: AnswerSchema = { name: "answer", schema: { type: "array" } };
    await readAnswer(model, shaped(closed));
    await readAnswer(model, shaped(closed, { answerSchema: other }));
    expect(bodies.map(shapeIn)).toEqual([closed, { type: "array" }]);
  });
});

describe("a shape that a vendor can't hold to goes by the prompt alone:", () => {
  const list = { type: "array", items: { type: "string" } };
  const open = { type: "object", properties: { city: { type: "string" } } };
  const within = (property: object) => ({ ...closed, properties: { city: property } });
  const table: [
    name: string,
    schema: Record<string, unknown>,
    strict: boolean | "none",
    anthropic: boolean,
  ][] = [
    ["a list", list, "none", false],
    ["anything", {}, "none", false],
    ["a choice at the top", { ...closed, anyOf: [{}] }, "none", false],
    ["an open object", open, false, false],
    ["an optional field", { ...closed, required: [] }, false, true],
    ["an open object inside", within({ type: ["object", "null"] }), false, false],
    ["an open object in a choice", within({ anyOf: [open, { type: "null" }] }), false, false],
    ["a choice", within({ anyOf: [{ type: "string" }, { type: "null" }] }), true, true],
    ["a reference", { ...within({ $ref: "#/$defs/c" }), $defs: { c: { type: "string" } } }, true, true],
    ["a reference to an open object", { ...within({ $ref: "#/$defs/c" }), $defs: { c: open } }, false, false],
    ["a limit of numbers", within({ type: "integer", minimum: 1 }), true, false],
    ["a limit of texts", within({ type: "string", maxLength: 5 }), false, false],
    ["a default", within({ type: "string", default: "Lima" }), false, true],
    ["a known format", within({ type: "string", format: "uuid" }), true, true],
    ["another format", within({ type: "string", format: "uri" }), false, true],
    ["an exclusion", within({ not: { const: "Rome" } }), false, false],
    ["a condition", { ...closed, if: {}, else: {} }, false, false],
    ["true in place of a schema", { ...closed, properties: { city: true } }, false, false],
  ];
  test.each(table)("%s", async (_name, schema, strict, anthropic) => {
    const openai = await sentShape("openai", shaped(schema));
    expect(openai).toEqual(strict === "none" ? undefined : jsonSchema(schema, strict));
    const claude = await sentShape("anthropic", shaped(schema));
    expect(claude).toEqual(anthropic ? { format: { type: "json_schema", schema } } : undefined);
  });

  test("Cohere takes objects of which something is required", async () => {
    expect(await sentShape("cohere", shaped(list))).toBeUndefined();
    expect(await sentShape("cohere", shaped({ ...closed, required: [] }))).toBeUndefined();
  });

  test("a grammar takes any", async () => {
    expect(await sentShape("ollama", shaped(list))).toEqual(list);
    expect(await sentShape("hf_tgi", shaped(list))).toEqual({ type: "json", value: list });
  });
});

describe("a server that refuses the shape is asked without it", () => {
  const error = (status: number, body: unknown) =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  // Messages from the vendors' documents and their servers' sources.
  const refusals: [who: string, kind: string, refuse: () => Response][] = [
    [
      "DeepSeek",
      "openai",
      () =>
        error(400, {
          error: { message: "This response_format type is unavailable now", type: "invalid_request_error" },
        }),
    ],
    [
      "OpenAI, an older model",
      "openai",
      () =>
        error(400, {
          error: {
            message:
              "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
            param: "response_format",
          },
        }),
    ],
    [
      "OpenAI, a schema it can't take",
      "openai",
      () =>
        error(400, {
          error: {
            message:
              "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied and to be false.",
          },
        }),
    ],
    [
      "vLLM",
      "vllm",
      () =>
        error(400, {
          object: "error",
          message: "Grammar error: Unimplemented keys",
          type: "BadRequestError",
          code: 400,
        }),
    ],
    [
      "llama.cpp",
      "llamacpp",
      () => error(500, { error: { code: 500, message: "Failed to parse grammar", type: "server_error" } }),
    ],
    [
      "llama.cpp, a keyword",
      "llamacpp",
      () =>
        error(400, {
          error: {
            code: 400,
            message: "JSON schema conversion failed: Unrecognized schema",
            type: "invalid_request_error",
          },
        }),
    ],
    [
      "Mistral",
      "mistral",
      () => error(422, { detail: [{ type: "extra_forbidden", loc: ["body", "response_format"] }] }),
    ],
    [
      "Groq, another model",
      "groq",
      () =>
        error(400, {
          error: {
            message: "This model does not support response format `json_schema`.",
            type: "invalid_request_error",
          },
        }),
    ],
    [
      "TGI",
      "hf_tgi",
      () =>
        error(422, { error: "Input validation error: grammar is not supported", error_type: "validation" }),
    ],
    ["Ollama", "ollama", () => error(500, { error: "invalid JSON schema in format" })],
    [
      "Cohere",
      "cohere",
      () =>
        error(400, { message: "invalid request: response_format is not supported with the provided model" }),
    ],
    [
      "Anthropic",
      "anthropic",
      () =>
        error(400, {
          type: "error",
          error: {
            type: "invalid_request_error",
            message: "output_config.format: Extra inputs are not permitted",
          },
        }),
    ],
    ["a server that says nothing", "openai", () => error(400, "")],
    [
      "an error in a stream's place",
      "vllm",
      () => Response.json({ error: { code: 400, message: "guided decoding failed" } }),
    ],
  ];
  test.each(refusals)("%s", async (_who, kind, refuse) => {
    const { model, bodies } = modelOf(kind, (body) => (shapeIn(body) === undefined ? undefined : refuse()));
    const { text, failure } = await readAnswer(model, shaped(closed));
    expect([text, failure]).toEqual(["ok", undefined]);
    const {
      [Object.keys(bodies[0] ?? {}).find((key) => shapeIn({ [key]: bodies[0]?.[key] }) !== undefined) ?? ""]:
        _shape,
      ...rest
    } = bodies[0] ?? {};
    expect(bodies[1]).toEqual(rest);
  });

  test("and not with it again, once the same went through without", async () => {
    const { model, bodies } = modelOf("openai", (body) => (shapeIn(body) ? error(400, "") : undefined));
    for (let call = 0; call < 3; call++) await readAnswer(model, shaped(closed));
    expect(bodies.map((body) => shapeIn(body) !== undefined)).toEqual([true, false, false, false]);
  });

  test("and with it again, where only this answer came to nothing", async () => {
    const broken = { error: { message: "Failed to generate JSON.", code: "json_validate_failed" } };
    const { model, bodies } = modelOf("groq", (_body, call) => (call === 1 ? error(400, broken) : undefined));
    for (let call = 0; call < 2; call++) expect((await readAnswer(model, shaped(closed))).text).toBe("ok");
    expect(bodies.map((body) => shapeIn(body) !== undefined)).toEqual([true, false, true]);
  });

  test("once only: what is refused without the shape as well was refused for another reason", async () => {
    const { model, bodies } = modelOf("openai", () =>
      error(400, { error: { message: "temperature is too high" } }),
    );
    for (let call = 0; call < 2; call++) {
      expect((await readAnswer(model, shaped(closed))).failure).toMatchObject({ failure: "caller" });
    }
    expect(bodies.map((body) => shapeIn(body) !== undefined)).toEqual([true, false, true, false]);
  });

  test.each([
    ["a wrong key", 401, ""],
    ["too many calls", 429, ""],
    [
      "a conversation that is too long",
      400,
      { error: { code: "context_length_exceeded", message: "too long" } },
    ],
    ["content that is refused", 400, { error: { code: "content_filter", message: "no" } }],
    ["a fault of its own", 500, ""],
    ["a model that is missing", 404, { error: { code: "model_not_found", message: "no such model" } }],
  ])("but not for %s", async (_what, status, body) => {
    const { model, bodies } = modelOf("openai", () => error(status, body));
    expect((await readAnswer(model, shaped(closed))).failure).toBeDefined();
    expect(bodies).toHaveLength(1);
  });

  test("but not after the answer has begun", async () => {
    const events = [
      '{"choices":[{"delta":{"content":"{"}}]}',
      '{"error":{"code":400,"message":"grammar error"}}',
    ];
    const stream = () =>
      new Response(events.map((event) => `data: ${event}\n\n`).join(""), {
        headers: { "content-type": "text/event-stream" },
      });
    const { model, bodies } = modelOf("vllm", stream);
    const { text, failure } = await readAnswer(model, shaped(closed, { stream: true }));
    expect([text, failure?.failure, bodies.length]).toEqual(["{", "caller", 1]);
  });

  test("but not for a caller who has left", async () => {
    const leaving = new AbortController();
    const { model, bodies } = modelOf("openai", () => {
      leaving.abort(new Error("gone"));
      return error(400, "");
    });
    expect(
      await readAnswer(model, shaped(closed), leaving.signal).catch((thrown: Error) => thrown.message),
    ).toBe("gone");
    expect(bodies).toHaveLength(1);
  });
});
