import { describe, expect, test } from "bun:test";
import type { ModelParameters, ModelRequest } from "../../../../../src/engine/models/model.ts";
import { LearnedDialects } from "../../../../../src/engine/models/providers/openai/learned-dialect.ts";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { readAnswer } from "../../../../support/read-answer.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

interface Sent {
  path: string;
  body: Record<string, unknown>;
}

const answer = {
  object: "response",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "hello" }] }],
  usage: { input_tokens: 3, output_tokens: 2 },
};
const refused = (status: number, error: object) => Response.json({ error }, { status });

/** A server that answers on both APIs, unless `fault` refuses a request. */
function serverWith(fault: (sent: Sent) => Response | undefined = () => undefined) {
  const sent: Sent[] = [];
  const reports: string[] = [];
  const dialects = new LearnedDialects((_model, message) => reports.push(message));
  const fetch = async (url: string, init: RequestInit) => {
    const one = {
      path: new URL(url).pathname,
      body: JSON.parse(String(init.body)) as Record<string, unknown>,
    };
    sent.push(one);
    const refusal = fault(one);
    if (refusal !== undefined) return refusal;
    return Response.json(
      one.path.endsWith("/responses")
        ? answer
        : { choices: [{ message: { content: "hello" }, finish_reason: "stop" }] },
    );
  };
  const ask = (about: Partial<ModelRequest> = {}, parameters: ModelParameters = {}, route = "/responses") => {
    const kind = findProviderKind("openai");
    const endpoint = `https://api.openai.com/v1${route}`;
    const model = kind?.build(
      { provider: "p", model: "m", endpoint, timeoutMs: 60_000, parameters },
      { fetch, clock: new FakeClock(), newId, dialects },
    );
    if (model === undefined) throw new Error("no provider");
    return readAnswer(model, { ...requestOf("hi", { stream: false }), ...about });
  };
  return { sent, reports, ask };
}

const tool = { name: "weather", description: "Now", parameters: { type: "object", properties: {} } };

describe("a request at an endpoint that names the route", () => {
  test("has the conversation as items, stores nothing and asks for sealed thoughts", async () => {
    const { sent, ask } = serverWith();
    const call = { id: "call_a", name: "weather", input: { city: "Lima" } };
    await ask(
      {
        messages: [
          { role: "system", content: "Be kind." },
          { role: "system", content: "Be short." },
          { role: "user", content: "Look", images: [{ mediaType: "image/png", data: "AAAA" }] },
          { role: "assistant", content: "I see.", toolCalls: [call] },
          { role: "tool", callId: "call_a", name: "weather", content: "sunny" },
        ],
        tools: [tool],
        toolChoice: { tool: "weather" },
      },
      { temperature: 0.2, top_p: 0.9, max_tokens: 900, reasoning_effort: "low", parallel_tool_calls: false },
    );
    expect(sent).toEqual([
      {
        path: "/v1/responses",
        body: {
          model: "m",
          instructions: "Be kind.\n\nBe short.",
          input: [
            {
              role: "user",
              content: [
                { type: "input_text", text: "Look" },
                { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
              ],
            },
            { role: "assistant", content: "I see." },
            { type: "function_call", call_id: "call_a", name: "weather", arguments: '{"city":"Lima"}' },
            { type: "function_call_output", call_id: "call_a", output: "sunny" },
          ],
          store: false,
          include: ["reasoning.encrypted_content"],
          temperature: 0.2,
          top_p: 0.9,
          max_output_tokens: 900,
          reasoning: { effort: "low" },
          parallel_tool_calls: false,
          tool_choice: { type: "function", name: "weather" },
          tools: [{ type: "function", ...tool, strict: false }],
        },
      },
    ]);
  });

  test("a schema for the answer is its text format, strict if the vendor can keep to it", async () => {
    const { sent, ask } = serverWith();
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    await ask({ answerSchema: { name: "place", schema } as ModelRequest["answerSchema"] & object });
    expect(sent[0]?.body.text).toEqual({
      format: { type: "json_schema", name: "place", schema, strict: true },
    });
  });

  test("a limit below what the API takes is its least", async () => {
    const { sent, ask } = serverWith();
    await ask({ answerTokensMax: 5 });
    expect(sent[0]?.body.max_output_tokens).toBe(16);
  });

  test("parameters that the API lacks are none of the model's", () => {
    const at = findProviderKind("openai")?.parametersAt("https://api.openai.com/v1/responses");
    expect(at).toEqual(["temperature", "top_p", "max_tokens", "reasoning_effort", "parallel_tool_calls"]);
  });

  test("a refused field is left out from then on", async () => {
    const { sent, reports, ask } = serverWith(({ body }) =>
      "include" in body
        ? refused(400, { message: "Encrypted content is not supported with this model.", param: "include" })
        : undefined,
    );
    expect([(await ask()).text, (await ask()).text]).toEqual(["hello", "hello"]);
    expect(sent.map(({ body }) => "include" in body)).toEqual([true, false, false]);
    expect(reports).toEqual(["p/m refused a request; from now on it is sent no include."]);
  });
});

describe("a model that only the Responses API has", () => {
  const refusals: [name: string, refusal: () => Response][] = [
    [
      "404 with the API's name",
      () =>
        refused(404, {
          message: "This model is only supported in v1/responses and not in v1/chat/completions.",
          type: "invalid_request_error",
          param: "model",
        }),
    ],
    [
      "404 as no chat model",
      () =>
        refused(404, {
          message: "This is not a chat model and thus not supported in the v1/chat/completions endpoint.",
        }),
    ],
    [
      "400 of Azure",
      () =>
        refused(400, {
          code: "OperationNotSupported",
          message: "The chatCompletion operation does not work with the specified model, m.",
        }),
    ],
    [
      "400 for tools beside thoughts",
      () =>
        refused(400, {
          message:
            "Function tools with reasoning_effort are not supported in /v1/chat/completions. Please use /v1/responses instead.",
        }),
    ],
  ];
  test.each(refusals)("%s: it is called there, at once and from then on", async (_name, refusal) => {
    const { sent, reports, ask } = serverWith(({ path }) =>
      path.endsWith("/chat/completions") ? refusal() : undefined,
    );
    const schema = { type: "object", properties: {}, additionalProperties: false };
    const shaped = { answerSchema: { name: "a", schema } as ModelRequest["answerSchema"] & object };
    expect([(await ask(shaped, {}, "")).text, (await ask({}, {}, "")).text]).toEqual(["hello", "hello"]);
    expect(sent.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/responses", "/v1/responses"]);
    expect(sent[1]?.body).not.toHaveProperty("response_format");
    expect(reports).toEqual([
      "p/m is only on the Responses API and is called there, without stop, seed and penalties.",
    ]);
  });

  test("when the server has no Responses API either, the last refusal is the failure, after two calls", async () => {
    const { sent, ask } = serverWith(() => refused(404, { message: "Use v1/responses." }));
    expect((await ask({}, {}, "")).failure?.failure).toBe("auth");
    expect(sent).toHaveLength(2);
  });
});

test("thoughts that a caller brings back go to the model that sealed them, and to no other", async () => {
  const { sent, ask } = serverWith();
  const sealed = (id: string) => ({
    type: "reasoning.encrypted",
    data: "sealed",
    format: "openai-responses-v1",
    id,
  });
  for (const id of ["p/m", "p/other"])
    await ask({
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "hello", thoughts: { details: [sealed(id)] } },
        { role: "user", content: "and?" },
      ],
    });
  expect(sent.map(({ body }) => JSON.stringify(body.input).includes("sealed"))).toEqual([true, false]);
});
