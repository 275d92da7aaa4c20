import { describe, expect, test } from "bun:test";
import type { ModelParameters } from "../../../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../../../src/engine/models/model-failure.ts";
import { LearnedDialects } from "../../../../../src/engine/models/providers/openai/learned-dialect.ts";
import type { ProviderOptions } from "../../../../../src/engine/models/providers/provider-kind.ts";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

type Body = Record<string, unknown> & { messages: { role: string }[] };

/** A server that refuses a request until `fault` finds nothing wrong with it. */
function pickyServer(fault: (body: Body) => unknown) {
  const bodies: Body[] = [];
  const reports: string[] = [];
  const dialects = new LearnedDialects((_model, message) => reports.push(message));
  const fetch = async (_: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as Body;
    bodies.push(body);
    const error = fault(body);
    if (error !== undefined) return Response.json(error, { status: 400 });
    return Response.json({ choices: [{ message: { content: "hello" }, finish_reason: "stop" }] });
  };
  const call = async (parameters: ModelParameters = {}, about: Partial<ProviderOptions> = {}) => {
    const model = findProviderKind("openai")?.build(
      {
        provider: "p",
        model: "m",
        endpoint: "http://127.0.0.1:1/v1",
        timeoutMs: 120_000,
        parameters,
        ...about,
      },
      { fetch, clock: new FakeClock(), newId, dialects },
    );
    const request = requestOf("hi", { stream: false });
    const messages = [{ role: "system" as const, content: "Be kind." }, ...request.messages];
    let text = "";
    for await (const event of model?.call({ ...request, messages }, new AbortController().signal) ?? [])
      if (event.type === "text") text += event.text;
    return text;
  };
  return { bodies, reports, call };
}

const openAiError = (message: string, param?: string, code = "unsupported_parameter") => ({
  error: { message, type: "invalid_request_error", param, code },
});
const pydanticError = (field: string, body: Body) => ({
  detail: [
    { type: "extra_forbidden", loc: ["body", field], msg: "Extra inputs are not permitted", input: body },
  ],
});

describe("a server that refuses a field is asked again without it, and later requests leave it out", () => {
  const table: [name: string, sent: ModelParameters, fault: (body: Body) => unknown, change: string][] = [
    [
      "max_tokens, with the other name",
      { max_tokens: 9 },
      (body) =>
        "max_tokens" in body
          ? openAiError(
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
              "max_tokens",
            )
          : undefined,
      "max_completion_tokens in place of max_tokens",
    ],
    [
      "a temperature other than the default",
      { temperature: 0.2 },
      (body) =>
        "temperature" in body
          ? openAiError(
              "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
              "temperature",
            )
          : undefined,
      "no temperature",
    ],
    [
      "a field that Google does not know",
      { frequency_penalty: 1 },
      (body) =>
        "frequency_penalty" in body
          ? [
              {
                error: {
                  code: 400,
                  message:
                    'Invalid JSON payload received. Unknown name "frequency_penalty": Cannot find field.',
                },
              },
            ]
          : undefined,
      "no frequency_penalty",
    ],
    [
      "an extra field by a validator that repeats the request",
      { seed: 4, temperature: 0.1 },
      (body) => ("seed" in body ? pydanticError("seed", body) : undefined),
      "no seed",
    ],
    [
      "the system role",
      {},
      ({ messages }) =>
        messages[0]?.role === "system"
          ? openAiError(
              "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
              "messages[0].role",
            )
          : undefined,
      "instructions with the role developer",
    ],
  ];
  test.each(table)("%s", async (_name, sent, fault, change) => {
    const server = pickyServer(fault);
    expect(await server.call(sent)).toBe("hello");
    expect(server.bodies).toHaveLength(2);
    expect(await server.call(sent)).toBe("hello");
    expect(server.bodies).toHaveLength(3);
    expect(server.reports).toEqual([`p/m refused a request; from now on it is sent ${change}.`]);
    expect(server.bodies.at(-1)).toMatchObject(
      "temperature" in sent && change.includes("seed") ? { temperature: 0.1 } : {},
    );
  });

  test("several fields, one refusal after the other", async () => {
    const refused = ["max_tokens", "temperature", "top_p", "stop"];
    const server = pickyServer((body) => {
      const field = refused.find((name) => name in body);
      return (
        field && openAiError(`Unsupported parameter: '${field}' is not supported with this model.`, field)
      );
    });
    const sent = { max_tokens: 5, temperature: 0, top_p: 1, stop: ["x"] };
    expect(await server.call(sent)).toBe("hello");
    expect(server.bodies).toHaveLength(5);
    expect(server.bodies.at(-1)).toMatchObject({ max_completion_tokens: 5 });
  });

  test("a server with neither name for the limit gets none", async () => {
    const limits = ["max_tokens", "max_completion_tokens"];
    const server = pickyServer((body) => {
      const field = limits.find((name) => name in body);
      return field && { message: `Unrecognized request argument supplied: ${field}` };
    });
    expect(await server.call({ max_tokens: 5 })).toBe("hello");
    expect(server.bodies).toHaveLength(3);
  });
});

describe("a refusal that teaches nothing is the caller's, after one request", () => {
  test.each([
    [
      "a value that is too large",
      openAiError("max_tokens is too large: 5. This model takes at most 4.", "max_tokens", "invalid_value"),
    ],
    [
      "a temperature out of range",
      { error: { message: "temperature must be between 0 and 1", param: "temperature" } },
    ],
    ["a field that was not sent", openAiError("Unsupported parameter: 'top_k'", "top_k")],
    ["no reason", { error: "Bad Request" }],
    [
      "an order of roles",
      { error: { message: "After the system message, roles must alternate user/assistant." } },
    ],
  ])("%s", async (_name, error) => {
    const server = pickyServer(() => error);
    const failure = await server.call({ max_tokens: 5, temperature: 2 }).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect((failure as ModelFailure).failure).toBe("caller");
    expect(server.bodies).toHaveLength(1);
    expect(server.reports).toEqual([]);
  });

  test("a server that refuses everything ends", async () => {
    const server = pickyServer((body) =>
      openAiError(`Unsupported: ${Object.keys(body).join(", ")}, roles system, developer, user`),
    );
    expect(await server.call({ max_tokens: 5, temperature: 2, stop: ["a"] }).catch(() => "failed")).toBe(
      "failed",
    );
    expect(server.bodies.length).toBeLessThan(8);
  });
});

test("what one tenant's key has taught changes nothing for another's", async () => {
  const server = pickyServer((body) =>
    "stop" in body ? openAiError("Unknown parameter: 'stop'") : undefined,
  );
  await server.call({ stop: ["a"] }, { account: "one" });
  await server.call({ stop: ["a"] }, { account: "other" });
  expect(server.bodies.map((body) => "stop" in body)).toEqual([true, false, true, false]);
});

describe("parameters_style", () => {
  const sent = { max_tokens: 5, temperature: 0.5 };
  test.each([
    ["classic", { max_tokens: 5, temperature: 0.5 }],
    ["modern", { max_completion_tokens: 5, temperature: 0.5 }],
    ["reasoning", { max_completion_tokens: 5 }],
  ] as const)("%s", async (parametersStyle, fields) => {
    const server = pickyServer(() => undefined);
    await server.call(sent, { parametersStyle });
    const { max_tokens, max_completion_tokens, temperature } = server.bodies[0] as Body;
    expect(JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens, temperature }))).toEqual(fields);
  });
});
