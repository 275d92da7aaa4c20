import { describe, expect, test } from "bun:test";
import type { ModelRequest } from "../../../../../src/engine/models/model.ts";
import { createBodyWriter } from "../../../../../src/engine/models/providers/openai/body.ts";
import {
  mistralDialect,
  type OpenaiDialect,
  ollamaDialect,
  openAiDialect,
  plainDialect,
} from "../../../../../src/engine/models/providers/openai/dialect.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

const write = (dialect: OpenaiDialect, request = requestOf("hi"), parameters = {}) =>
  JSON.parse(createBodyWriter("p/m", "m", parameters, dialect)(request)) as Record<string, unknown>;

const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];

describe("dialects", () => {
  test("OpenAI's own service takes max_completion_tokens, all others max_tokens", () => {
    expect(write(openAiDialect, requestOf("hi"), { max_tokens: 5 })).toMatchObject({
      max_completion_tokens: 5,
    });
    expect(write(openAiDialect, requestOf("hi"), { max_tokens: 5 })).not.toHaveProperty("max_tokens");
    expect(write(plainDialect, requestOf("hi"), { max_tokens: 5 })).toMatchObject({ max_tokens: 5 });
  });
  test("Mistral is not asked for usage", () => {
    expect(write(plainDialect)).toHaveProperty("stream_options");
    expect(write(mistralDialect)).not.toHaveProperty("stream_options");
  });
  test("Mistral gets ids of nine letters and digits, the same for a call and its result", () => {
    const ids = ["call_0192f0c1-aaaa", "a", "abcdefghi"].map((id) => {
      const body = write(mistralDialect, {
        ...requestOf("hi"),
        messages: [
          { role: "assistant", content: "", toolCalls: [{ id, name: "t", input: {} }] },
          { role: "tool", callId: id, name: "t", content: "1" },
        ],
      });
      const [assistant, result] = body.messages as [
        { tool_calls: [{ id: string }] },
        { tool_call_id: string },
      ];
      expect(assistant.tool_calls[0].id).toBe(result.tool_call_id);
      expect(result.tool_call_id).toMatch(/^[a-zA-Z0-9]{9}$/);
      return result.tool_call_id;
    });
    expect(new Set(ids).size).toBe(3);
    expect(ids[2]).toBe("abcdefghi");
  });
  test("forbidding tools keeps them in the prompt, except where tool_choice is not obeyed", () => {
    const request = requestOf("hi", { tools, toolChoice: "none" });
    expect(write(plainDialect, request)).toMatchObject({ tool_choice: "none", tools: [{}] });
    expect(write(ollamaDialect, request)).not.toHaveProperty("tools");
    expect(write(ollamaDialect, requestOf("hi", { tools }))).toHaveProperty("tools");
  });
});

test("arguments that were no JSON go back as an empty object", () => {
  const body = write(plainDialect, {
    ...requestOf("hi"),
    messages: [
      {
        role: "assistant",
        content: "x",
        toolCalls: [{ id: "1", name: "t", input: {}, unparsable: "{oops" }],
      },
    ],
  });
  expect(body.messages).toMatchObject([{ tool_calls: [{ function: { arguments: "{}" } }] }]);
});

test("neither stream nor tools are mentioned when there are none", () => {
  expect(write(plainDialect, requestOf("hi", { stream: false }))).toEqual({
    model: "m",
    messages: [{ role: "user", content: "hi" }],
  });
});

test("two tool lists are not taken for one another", () => {
  const writer = createBodyWriter("p/m", "m", {}, plainDialect);
  writer(requestOf("hi", { tools }));
  const other = [{ name: "other", description: "", parameters: { type: "object" } }];
  expect(writer(requestOf("hi", { tools: other }))).toContain('"name":"other"');
});

test("each body has the messages of its own request, after any earlier request", () => {
  const writeBody = createBodyWriter("p/m", "m", {}, plainDialect);
  const said = { role: "user", content: "hi" } as const;
  const messagesOf = (...messages: ModelRequest["messages"]) =>
    JSON.parse(writeBody({ ...requestOf("hi"), messages })).messages;
  for (const content of ['Be "brief".', 'Be "brief".', "Be kind.", "", 'Be "brief".'])
    expect(messagesOf({ role: "system", content }, said)).toEqual([{ role: "system", content }, said]);
  expect(messagesOf()).toEqual([]);
});
