import { describe, expect, test } from "bun:test";
import type { Message, ModelRequest, ToolSpec } from "../../../../../src/engine/models/model.ts";
import { rehearse } from "../../../../../src/engine/models/providers/rehearsal/rehearse.ts";
import { atOnce } from "../../../../../src/kit/concurrency/others-turn.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

const rehearsed = (request: ModelRequest) => atOnce(rehearse(request));

/** A tool with these required texts. */
const tool = (name: string, description: string, required: string[]): ToolSpec => ({
  name,
  description,
  parameters: {
    type: "object",
    properties: Object.fromEntries(required.map((property) => [property, { type: "string" }])),
    required,
  },
});

describe("a question that asks for no tool", () => {
  const handbook = tool(
    "search_handbook",
    "Searches the documents of handbook and returns the passages that fit a question best.",
    ["query"],
  );
  const others = [
    tool("search_archive", "Finds documents.", ["query", "key"]),
    tool("web_search", "Searches the web.", ["query"]),
    tool("datetime_now", "The current date and time in a time zone.", []),
  ];
  const asked = (query: string, offered = [...others, handbook]) =>
    rehearsed(requestOf(query, { tools: offered })).calls.map((call) => [call.tool, call.input] as const);

  test.each([
    ["When does the shop open?", "When does the shop open"],
    ["Who approves a refund", "Who approves a refund"],
    ["What is the capital of France?", "the capital of France"],
    ["¿Dónde está la oficina?", "¿Dónde está la oficina"],
  ])("searches the documents: %p", (query, sought) => {
    expect(asked(query)).toEqual([["search_handbook", { query: sought }]]);
  });

  test.each(["Hello!", "How are you today?", "What tools do you have?", "I live in Paris", "42", ""])(
    "searches nothing for small talk: %p",
    (query) => expect(asked(query)).toEqual([]),
  );

  test("calls the tool that it asks for instead", () => {
    expect(asked("What time is it?")).toEqual([["datetime_now", {}]]);
  });

  test("searches once, and answers with the passages and their documents", () => {
    const passage = (said: string, document_id: string) => ({
      text: said,
      score: 0.5,
      metadata: {},
      citation: { document_id, chunk: 0, start: 0, end: said.length },
    });
    const found = [passage("The shop\n\nopens at nine.\n", "hours.md"), passage("Tea is sold.", "teas.md")];
    const messages: Message[] = [
      { role: "user", content: "When does the shop open?" },
      { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "search_handbook", input: {} }] },
      {
        role: "tool",
        callId: "call_1",
        name: "search_handbook",
        content: JSON.stringify({ success: true, data: [...found, ...found] }),
      },
    ];
    const { calls, text: said } = rehearsed(requestOf("", { tools: [handbook], messages }));
    expect(calls).toEqual([]);
    expect(said).toStartWith(
      "search_handbook found: “The shop opens at nine.” (hours.md); “Tea is sold.” (teas.md); “The shop opens at nine.” (hours.md); and 1 more. (Rehearsal",
    );
  });
});
