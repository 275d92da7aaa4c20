import { describe, expect, test } from "bun:test";
import type { ModelRequest, ToolChoice } from "../../../../../src/engine/models/model.ts";
import { createBodyWriter as anthropicBody } from "../../../../../src/engine/models/providers/anthropic/body.ts";
import { createBodyWriter as cohereBody } from "../../../../../src/engine/models/providers/cohere/body.ts";
import { createBodyWriter as ollamaBody } from "../../../../../src/engine/models/providers/ollama/body.ts";
import { createBodyWriter as openAiBody } from "../../../../../src/engine/models/providers/openai/body.ts";
import { ollamaDialect, plainDialect } from "../../../../../src/engine/models/providers/openai/dialect.ts";

const writers: Record<string, (request: ModelRequest) => string> = {
  openai: openAiBody("openai/m", "m", {}, plainDialect),
  "ollama by OpenAI's protocol": openAiBody("ollama/m", "m", {}, ollamaDialect),
  anthropic: (request) => anthropicBody("anthropic/m", "m", {})(request).body,
  cohere: cohereBody("cohere/m", "m", {}),
  ollama: ollamaBody("ollama/m", "m", {}, undefined),
};

interface Sent {
  tools?: { name?: string; function?: { name: string } }[];
  tool_choice?: unknown;
  messages: { role: string; content: unknown; images?: unknown }[];
}

const tools = ["save", "load"].map((name) => ({ name, description: "", parameters: { type: "object" } }));

function sent(writer: string, change: Partial<ModelRequest>): Sent {
  const request: ModelRequest = {
    messages: [{ role: "user", content: "hi" }],
    tools: [],
    toolChoice: "auto",
    stream: false,
    ...change,
  };
  return JSON.parse(writers[writer]?.(request) ?? "") as Sent;
}

const save: ToolChoice = { tool: "save" };
const both = ["save", "load"];

describe("a choice of tools", () => {
  test.each<[writer: string, choice: ToolChoice, wire: unknown, offered: string[]]>([
    ["openai", "auto", "auto", both],
    ["openai", "none", "none", both],
    ["openai", "required", "required", both],
    ["openai", save, { type: "function", function: { name: "save" } }, both],
    ["ollama by OpenAI's protocol", "none", undefined, []],
    ["ollama by OpenAI's protocol", save, undefined, ["save"]],
    ["anthropic", "auto", { type: "auto" }, both],
    ["anthropic", "none", { type: "none" }, both],
    ["anthropic", "required", { type: "any" }, both],
    ["anthropic", save, { type: "tool", name: "save" }, both],
    ["cohere", "auto", undefined, both],
    ["cohere", "none", "NONE", both],
    ["cohere", "required", "REQUIRED", both],
    ["cohere", save, "REQUIRED", ["save"]],
    ["ollama", "none", undefined, []],
    ["ollama", save, undefined, ["save"]],
  ])("%s is sent %p", (writer, toolChoice, wire, offered) => {
    const body = sent(writer, { tools, toolChoice });
    expect(body.tool_choice).toEqual(wire);
    expect((body.tools ?? []).map((tool) => tool.name ?? tool.function?.name)).toEqual(offered);
  });
});

describe("an image", () => {
  const image = { mediaType: "image/png", data: "AAAA" } as const;
  const url = "data:image/png;base64,AAAA";
  const asPart = { type: "image_url", image_url: { url } };
  const text = { type: "text", text: "look" };
  const block = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };

  test.each<[writer: string, said: string, message: Record<string, unknown>]>([
    ["openai", "look", { content: [text, asPart] }],
    ["openai", "", { content: [asPart] }],
    ["anthropic", "look", { content: [block, text] }],
    ["anthropic", "", { content: [block] }],
    ["cohere", "look", { content: [text, asPart] }],
    ["cohere", "", { content: [asPart] }],
    ["ollama", "look", { content: "look", images: ["AAAA"] }],
  ])("%s is sent it beside %p", (writer, content, message) => {
    const body = sent(writer, { messages: [{ role: "user", content, images: [image] }] });
    expect(body.messages.at(-1)).toEqual({ role: "user", ...message } as Sent["messages"][number]);
  });
});
