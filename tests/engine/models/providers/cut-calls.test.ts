import { describe, expect, test } from "bun:test";
import type { ModelEvent } from "../../../../src/engine/models/model.ts";
import { anthropicProtocol } from "../../../../src/engine/models/providers/anthropic/protocol.ts";
import { cohereProtocol } from "../../../../src/engine/models/providers/cohere/protocol.ts";
import { ollamaProtocol } from "../../../../src/engine/models/providers/ollama/protocol.ts";
import {
  plainDialect,
  textGenerationDialect,
} from "../../../../src/engine/models/providers/openai/dialect.ts";
import { LearnedDialects } from "../../../../src/engine/models/providers/openai/learned-dialect.ts";
import { openAiProtocol } from "../../../../src/engine/models/providers/openai/protocol.ts";
import type { Protocol } from "../../../../src/engine/models/providers/wire/http-kind.ts";
import { requestOf } from "../../../support/scripted-model.ts";

/** The arguments of the calls of one answer, as the server sends them, and the reason for its end; `null` is none at all. */
type Answer = (args: readonly string[], reason: string | null) => object[];

const reasonOf = (reason: string | null) => (reason === null ? {} : { finish_reason: reason });
const openAiCalls = (args: readonly string[]) =>
  args.map((text, index) => ({ index, id: `c${index}`, function: { name: "purge", arguments: text } }));

/** Each way an answer may arrive: its protocol, its reasons, and its JSON texts. */
const ways: Record<string, { protocol: Protocol; cut: string; whole: string; answer: Answer }> = {
  "OpenAI, streamed": {
    protocol: openAiProtocol(plainDialect),
    cut: "length",
    whole: "tool_calls",
    answer: (args, reason) => [
      ...openAiCalls(args).map((call) => ({ choices: [{ delta: { tool_calls: [call] } }] })),
      { choices: [{ delta: {}, ...reasonOf(reason) }] },
    ],
  },
  "OpenAI, whole": {
    protocol: openAiProtocol(plainDialect),
    cut: "length",
    whole: "tool_calls",
    answer: (args, reason) => [
      { choices: [{ message: { content: null, tool_calls: openAiCalls(args) }, ...reasonOf(reason) }] },
    ],
  },
  "text-generation-inference": {
    protocol: openAiProtocol(textGenerationDialect),
    cut: "length",
    whole: "eos_token",
    answer: (args, reason) => [
      ...openAiCalls(args).map((call) => ({ choices: [{ delta: { tool_calls: call } }] })),
      { choices: [{ delta: {}, ...reasonOf(reason) }] },
    ],
  },
  "Gemini's reasons": {
    protocol: openAiProtocol(plainDialect),
    cut: "MAX_TOKENS",
    whole: "STOP",
    answer: (args, reason) => [
      { choices: [{ delta: { tool_calls: openAiCalls(args) }, ...reasonOf(reason) }] },
    ],
  },
  "Anthropic, streamed": {
    protocol: anthropicProtocol,
    cut: "max_tokens",
    whole: "tool_use",
    answer: (args, reason) => [
      { type: "message_start", message: { content: [], stop_reason: null } },
      ...args.flatMap((text, index) => [
        {
          type: "content_block_start",
          index,
          content_block: { type: "tool_use", id: `c${index}`, name: "purge", input: {} },
        },
        ...(text === ""
          ? []
          : [
              {
                type: "content_block_delta",
                index,
                delta: { type: "input_json_delta", partial_json: text },
              },
            ]),
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: { stop_reason: reason } },
      { type: "message_stop" },
    ],
  },
  "Cohere, streamed": {
    protocol: cohereProtocol,
    cut: "MAX_TOKENS",
    whole: "TOOL_CALL",
    answer: (args, reason) => [
      ...args.map((text, index) => ({
        type: "tool-call-start",
        index,
        delta: { message: { tool_calls: { id: `c${index}`, function: { name: "purge", arguments: text } } } },
      })),
      { type: "message-end", delta: reasonOf(reason) },
    ],
  },
  "Cohere, whole": {
    protocol: cohereProtocol,
    cut: "MAX_TOKENS",
    whole: "TOOL_CALL",
    answer: (args, reason) => [{ message: { tool_calls: openAiCalls(args) }, ...reasonOf(reason) }],
  },
};

const eventsOf = (protocol: Protocol, texts: readonly object[]): ModelEvent[] => {
  const wire = protocol.createWire({
    subject: { name: "p/m", model: "m" },
    base: new URL("http://127.0.0.1/"),
    parameters: {},
    contextWindow: undefined,
    newId: () => "new",
    parametersStyle: undefined,
    dialects: new LearnedDialects(),
    account: undefined,
  });
  const { reader } = wire.begin({ ...requestOf("hi"), stream: texts.length > 1 });
  for (const text of texts) reader.take(JSON.stringify(text));
  return reader.close();
};

/** What is carried out of each call: its input, or nothing (`-`). */
function carriedOut(protocol: Protocol, texts: readonly object[]) {
  return eventsOf(protocol, texts).flatMap((event) =>
    event.type === "tool_call"
      ? [event.call.unparsable === undefined ? JSON.stringify(event.call.input) : "-"]
      : event.type === "end"
        ? [event.finish]
        : [],
  );
}

describe.each(Object.entries(ways))("%s", (_, { protocol, cut, whole, answer }) => {
  type Row = [title: string, args: string[], reason: string | null, carriedOut: string[]];
  const rows: Row[] = [
    ["a call cut within its arguments is not carried out", ['{"a":"x'], cut, ["-", "length"]],
    ["a call cut before its arguments is not carried out", [""], cut, ["-", "length"]],
    ["a call cut with arguments that can be read is not carried out", ['{"a":1}'], cut, ["-", "length"]],
    ["a call cut with an empty object is not carried out", ["{}"], cut, ["-", "length"]],
    ["calls before the cut one are carried out", ['{"a":1}', '{"a":'], cut, ['{"a":1}', "-", "length"]],
    ["no empty call of a cut answer is carried out", ["", ""], cut, ["-", "-", "length"]],
    ["without a reason, an empty call is not carried out", [""], null, ["-", "tool_calls"]],
    ["without a reason, a finished call is carried out", ['{"a":1}'], null, ['{"a":1}', "tool_calls"]],
    ["after a stop text, an empty call is not carried out", [""], "stop_sequence", ["-", "tool_calls"]],
    ["a finished call without arguments is carried out", [""], whole, ["{}", "tool_calls"]],
    ["a finished call with an empty object is carried out", ["{}"], whole, ["{}", "tool_calls"]],
    ["finished calls are carried out", ['{"a":1}', ""], whole, ['{"a":1}', "{}", "tool_calls"]],
  ];
  test.each(rows)("%s", (_, args, reason, expected) => {
    expect(carriedOut(protocol, answer(args, reason))).toEqual(expected);
  });
});

describe("Anthropic, whole", () => {
  const message = (input: object, stop_reason: string | null) => [
    { type: "message", content: [{ type: "tool_use", id: "c", name: "purge", input }], stop_reason },
  ];
  test.each<[object, string | null, string[]]>([
    [{}, "max_tokens", ["-", "length"]],
    [{ a: 1 }, "max_tokens", ["-", "length"]],
    [{}, null, ["-", "tool_calls"]],
    [{ a: 1 }, null, ['{"a":1}', "tool_calls"]],
    [{}, "tool_use", ["{}", "tool_calls"]],
  ])("%p with the reason %p: %p", (input, reason, expected) => {
    expect(carriedOut(anthropicProtocol, message(input, reason))).toEqual(expected);
  });
});

describe("Ollama, whose calls come whole", () => {
  const lines = (args: object, done_reason?: string) => [
    { message: { tool_calls: [{ function: { name: "purge", arguments: args } }] }, done: false },
    { message: { content: "" }, done: true, ...(done_reason === undefined ? {} : { done_reason }) },
  ];
  test.each<[object, string | undefined, string[]]>([
    [{}, "length", ["-", "length"]],
    [{ a: 1 }, "length", ["-", "length"]],
    [{}, "stop", ["{}", "tool_calls"]],
    [{}, undefined, ["{}", "tool_calls"]],
  ])("%p with the reason %p: %p", (args, reason, expected) => {
    expect(carriedOut(ollamaProtocol, lines(args, reason))).toEqual(expected);
  });
});

test("a call that was cut before its name is left out, so that the answer's text remains", () => {
  const nameless = { index: 0, id: "c", function: { name: "", arguments: "" } };
  const texts = [
    { choices: [{ delta: { content: "I will", tool_calls: [nameless] }, finish_reason: "length" }] },
  ];
  expect(eventsOf(openAiProtocol(plainDialect), texts)).toMatchObject([{ type: "end", finish: "length" }]);
});

test("thoughts are sent back with a call that was cut, and without one that had no name", () => {
  const texts = (name: string) => [
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "hm" } },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "I will" } },
    { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "c", name, input: {} } },
    { type: "message_delta", delta: { stop_reason: "max_tokens" } },
  ];
  const echoed = (name: string) => {
    const end = eventsOf(anthropicProtocol, texts(name)).at(-1);
    const content = end?.type === "end" ? end.echo?.content : undefined;
    return Array.isArray(content) ? content.map(({ type }: { type: string }) => type) : [];
  };
  expect(echoed("purge")).toEqual(["thinking", "text", "tool_use"]);
  expect(echoed("")).toEqual(["thinking", "text"]);
});
