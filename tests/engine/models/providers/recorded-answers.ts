import { readFileSync } from "node:fs";
import type { ModelFailureClass } from "../../../../src/engine/models/judge-call.ts";
import type { FinishReason, Usage } from "../../../../src/engine/models/model.ts";

/** One answer as in a vendor's documents, and its meaning. */
export interface RecordedAnswer {
  /** Path below `fixtures/`. */
  file: string;
  /** The kind of provider that reads it. */
  kind: string;
  /** Path of the endpoint, if it chooses the protocol. */
  path?: string;
  /** The public document that specifies its form; the words are ours. */
  source: string;
  text: string;
  calls?: readonly { id?: string; input: Record<string, unknown> }[];
  /** Absent if the answer fails. */
  finish?: FinishReason;
  /** Absent if the answer reports none. */
  usage?: Partial<Usage>;
  /** The data that the next request returns with the calls. */
  echo?: unknown;
  failure?: ModelFailureClass;
}

const lima = { input: { city: "Lima" } };
const quito = { input: { city: "Quito" } };

const openAi: Pick<RecordedAnswer, "kind" | "source"> = {
  kind: "openai",
  source: "OpenAI API reference: Chat Completions, object and streaming chunk object",
};
const responses = {
  kind: "openai",
  path: "/v1/responses",
  source: "OpenAI API reference: Responses, response object and streaming events",
};
const azure = {
  kind: "openai",
  source: "Microsoft Learn: Content filtering, Content streaming (Azure OpenAI)",
};
const openRouter = {
  kind: "openai",
  source: "OpenRouter docs: Streaming, Reasoning tokens, Usage accounting, Errors and debugging",
};
const deepSeek = {
  kind: "openai",
  source: "DeepSeek API docs: Create chat completion, Thinking mode, Rate limit",
};
const vllm = { kind: "vllm", source: "vLLM docs: OpenAI-compatible server, Tool calling, Reasoning outputs" };
const llamaCpp = { kind: "llamacpp", source: "llama.cpp: tools/server/README.md, Function calling" };
const tgi = { kind: "hf_tgi", source: "Text-generation-inference: Messages API, docs/openapi.json" };
const groq = { kind: "groq", source: "GroqDocs: API reference (Chat), Reasoning, Tool use" };
const mistral = { kind: "mistral", source: "Mistral docs: Chat completion API, Function calling, Reasoning" };
const ollama = {
  kind: "ollama",
  source: "Ollama docs: Generate a chat message, Streaming, Tool calling, Thinking, Usage, Errors",
};
const anthropic = {
  kind: "anthropic",
  source:
    "Claude docs: Streaming messages, Extended thinking, Stop reasons, Prompt caching, Citations, Errors",
};
const cohere = {
  kind: "cohere",
  source: "Cohere docs: Chat with streaming, Streaming for tool use, Citations, Reasoning",
};

const twoCities = { text: "", calls: [lima, quito], finish: "tool_calls" } as const;
const claudeUsage = { inputTokens: 50 + 248 + 1800, cachedTokens: 1800, writtenTokens: 248 };
const cohereUsage = { inputTokens: 37, outputTokens: 28, cachedTokens: 37, estimated: false };

/** All fixtures, by vendor. */
export const recordedAnswers: readonly RecordedAnswer[] = [
  {
    ...openAi,
    file: "openai/text.sse",
    text: "Lima is sunny, 21 °C ☀️.",
    finish: "stop",
    usage: { inputTokens: 1117, outputTokens: 46, cachedTokens: 1024 },
  },
  {
    ...openAi,
    file: "openai/text.json",
    text: "Lima is sunny, 21 °C ☀️.",
    finish: "stop",
    usage: { inputTokens: 1117, outputTokens: 46, cachedTokens: 1024 },
  },
  {
    ...openAi,
    ...twoCities,
    file: "openai/parallel-tools.sse",
    calls: [
      { ...lima, id: "call_a" },
      { ...quito, id: "call_b" },
    ],
    usage: { inputTokens: 82, outputTokens: 34 },
  },
  {
    ...openAi,
    ...twoCities,
    file: "openai/parallel-tools.json",
    calls: [
      { ...lima, id: "call_a" },
      { ...quito, id: "call_b" },
    ],
    usage: { inputTokens: 82, outputTokens: 34 },
  },
  {
    ...openAi,
    file: "openai/refusal.sse",
    text: "",
    failure: "content_refused",
    usage: { inputTokens: 81, outputTokens: 11 },
  },
  {
    ...openAi,
    file: "openai/thought-too-long.sse",
    text: "",
    finish: "length",
    usage: { inputTokens: 30, outputTokens: 500 },
  },
  ...["sse", "json"].map((type) => ({
    ...responses,
    file: `responses/text.${type}`,
    text: "Lima is sunny, 21 °C ☀️.",
    finish: "stop" as const,
    usage: { inputTokens: 1117, outputTokens: 46, cachedTokens: 1024 },
  })),
  ...["sse", "json"].map((type) => ({
    ...responses,
    ...twoCities,
    file: `responses/reasoning-tools.${type}`,
    calls: [
      { ...lima, id: "call_a" },
      { ...quito, id: "call_b" },
    ],
    usage: { inputTokens: 82, outputTokens: 98, reasoningTokens: 64 },
    echo: [
      { type: "thoughts", item: { type: "reasoning", summary: [], encrypted_content: "sealed-1" } },
      { type: "call", at: 0 },
      { type: "thoughts", item: { type: "reasoning", summary: [], encrypted_content: "sealed-2" } },
      { type: "call", at: 1 },
    ],
  })),
  {
    ...responses,
    file: "responses/refusal.sse",
    text: "",
    failure: "content_refused",
    usage: { inputTokens: 81, outputTokens: 11 },
  },
  {
    ...responses,
    file: "responses/thought-too-long.sse",
    text: "",
    finish: "length",
    usage: { inputTokens: 30, outputTokens: 500, reasoningTokens: 500 },
  },
  { ...responses, file: "responses/failed.sse", text: "", failure: "unreachable" },
  { ...responses, file: "responses/error.sse", text: "", failure: "unreachable" },
  {
    ...azure,
    file: "azure/text.sse",
    text: "Lima is sunny.",
    finish: "stop",
    usage: { inputTokens: 21, outputTokens: 5 },
  },
  {
    ...azure,
    file: "azure/filtered.sse",
    text: "First you",
    finish: "content_filter",
    usage: { inputTokens: 21, outputTokens: 3 },
  },
  { ...azure, file: "azure/asynchronous-filter.sse", text: "Lima is sunny.", finish: "stop" },
  {
    ...openRouter,
    file: "openrouter/text.sse",
    text: "Lima is sunny.",
    finish: "stop",
    usage: { inputTokens: 194, outputTokens: 2, cachedTokens: 100, writtenTokens: 50 },
  },
  {
    ...openRouter,
    file: "openrouter/reasoning-tools.sse",
    text: "",
    calls: [lima],
    finish: "tool_calls",
    usage: { inputTokens: 50, outputTokens: 20 },
    echo: {
      reasoning: "Look at the sky.",
      reasoning_details: [{ type: "reasoning.text", text: "Look at the sky.", format: "x", index: 0 }],
    },
  },
  { ...openRouter, file: "openrouter/broken-off.sse", text: "Lima is", failure: "unreachable" },
  { ...openRouter, file: "openrouter/broken-off.json", text: "", failure: "unreachable" },
  {
    ...deepSeek,
    file: "deepseek/thinking-tools.sse",
    text: "One moment.",
    calls: [{ ...lima, id: "call_00_x" }],
    finish: "tool_calls",
    usage: { inputTokens: 120, outputTokens: 60, cachedTokens: 64 },
    echo: { reasoning_content: "I need the weather." },
  },
  {
    ...deepSeek,
    file: "deepseek/thinking-tools.json",
    text: "One moment.",
    calls: [{ ...lima, id: "call_00_x" }],
    finish: "tool_calls",
    usage: { inputTokens: 120, outputTokens: 60, cachedTokens: 64 },
    echo: { reasoning_content: "I need the weather." },
  },
  { ...deepSeek, file: "deepseek/no-resources.sse", text: "Lima", failure: "unusable" },
  {
    ...vllm,
    ...twoCities,
    file: "vllm/reasoning-tools.sse",
    text: "\n",
    usage: { inputTokens: 212, outputTokens: 38, cachedTokens: 0 },
    echo: { reasoning: "Two cities.", reasoning_content: "Two cities." },
  },
  {
    ...vllm,
    file: "vllm/text.json",
    text: "Lima is sunny.",
    finish: "stop",
    usage: { inputTokens: 38, outputTokens: 5, cachedTokens: 32 },
  },
  { ...vllm, file: "vllm/error.sse", text: "", failure: "context_length" },
  { ...vllm, file: "vllm/aborted.sse", text: "Lima", failure: "unusable" },
  {
    ...llamaCpp,
    file: "llamacpp/thinking-tools.sse",
    text: "",
    calls: [lima],
    finish: "tool_calls",
    usage: { inputTokens: 237, outputTokens: 35, cachedTokens: 236 },
    echo: { reasoning_content: "Weather!" },
  },
  { ...llamaCpp, file: "llamacpp/error.sse", text: "Lima", failure: "context_length" },
  { ...llamaCpp, file: "llamacpp/error-field.sse", text: "", failure: "unusable" },
  {
    ...tgi,
    file: "hf_tgi/text.sse",
    text: "Lima is sunny.",
    finish: "stop",
    usage: { inputTokens: 44, outputTokens: 5 },
  },
  { ...tgi, file: "hf_tgi/one-tool.sse", text: "", calls: [lima], finish: "tool_calls" },
  {
    ...tgi,
    file: "hf_tgi/tools.json",
    text: "",
    calls: [{ ...lima, id: "0" }],
    finish: "tool_calls",
    usage: { inputTokens: 157, outputTokens: 19 },
  },
  { ...tgi, file: "hf_tgi/error.sse", text: "Lima", failure: "unusable" },
  {
    ...groq,
    file: "groq/text.sse",
    text: "Lima is sunny.",
    finish: "stop",
    usage: { inputTokens: 38, outputTokens: 6 },
  },
  {
    ...groq,
    file: "groq/reasoning-tools.sse",
    text: "",
    calls: [{ ...lima, id: "fc_1" }],
    finish: "tool_calls",
    usage: { inputTokens: 138, outputTokens: 36, cachedTokens: 128 },
    echo: { reasoning: "Weather, then." },
  },
  { ...groq, file: "groq/stopped.sse", text: "Lima", failure: "unusable" },
  {
    ...mistral,
    file: "mistral/text.sse",
    text: "Lima is sunny.",
    finish: "stop",
    usage: { inputTokens: 16, outputTokens: 5 },
  },
  {
    ...mistral,
    ...twoCities,
    file: "mistral/tools.sse",
    calls: [
      { ...lima, id: "D681PevKs" },
      { ...quito, id: "a1B2c3D4e" },
    ],
    usage: { inputTokens: 94, outputTokens: 30 },
  },
  {
    ...mistral,
    file: "mistral/thinking.sse",
    text: "Lima is sunny.",
    finish: "length",
    usage: { inputTokens: 16, outputTokens: 24 },
  },
  { ...mistral, file: "mistral/error.sse", text: "Lima", failure: "unusable" },
  {
    ...ollama,
    file: "ollama/text.ndjson",
    text: "Lima is sunny ☀️.",
    finish: "stop",
    usage: { inputTokens: 26, outputTokens: 298 },
  },
  {
    ...ollama,
    ...twoCities,
    file: "ollama/thinking-tools.ndjson",
    calls: [
      { ...lima, id: "call_1" },
      { ...quito, id: "call_2" },
    ],
    usage: { inputTokens: 166, outputTokens: 44 },
    echo: { thinking: "Two cities." },
  },
  {
    ...ollama,
    ...twoCities,
    file: "ollama/thinking-tools.json",
    calls: [
      { ...lima, id: "call_1" },
      { ...quito, id: "call_2" },
    ],
    usage: { inputTokens: 166, outputTokens: 44 },
    echo: { thinking: "Two cities." },
  },
  {
    ...ollama,
    file: "ollama/cut.ndjson",
    text: "Lima is",
    finish: "length",
    usage: { inputTokens: 26, outputTokens: 3 },
  },
  {
    ...ollama,
    file: "ollama/cached.ndjson",
    text: "Lima.",
    finish: "stop",
    usage: { outputTokens: 2, estimated: true },
  },
  { ...ollama, file: "ollama/loaded.ndjson", text: "", failure: "unusable" },
  { ...ollama, file: "ollama/error.ndjson", text: "Lima", failure: "unusable" },
  {
    ...anthropic,
    file: "anthropic/text.sse",
    text: "Lima is sunny, 21 °C.",
    finish: "stop",
    usage: { ...claudeUsage, outputTokens: 15 },
  },
  ...["anthropic/thinking-tools.sse", "anthropic/thinking-tools.json"].map(
    (file): RecordedAnswer => ({
      ...anthropic,
      file,
      text: "One moment.",
      calls: [
        { ...lima, id: "toolu_01" },
        { input: {}, id: "toolu_02" },
      ],
      finish: "tool_calls",
      usage: { ...claudeUsage, outputTokens: 89 },
      echo: [
        { type: "thinking", thinking: "Two cities.", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" },
        { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
        { type: "text", text: "One moment." },
        { type: "tool_use", id: "toolu_01", name: "weather", input: { city: "Lima" } },
        { type: "tool_use", id: "toolu_02", name: "weather", input: {} },
      ],
    }),
  ),
  {
    ...anthropic,
    file: "anthropic/citations.sse",
    text: "Lima is sunny.",
    finish: "stop",
    usage: { ...claudeUsage, outputTokens: 9 },
  },
  {
    ...anthropic,
    file: "anthropic/refusal.sse",
    text: "Lima",
    finish: "content_filter",
    usage: { ...claudeUsage, outputTokens: 3 },
  },
  {
    ...anthropic,
    file: "anthropic/paused.sse",
    text: "Lima",
    finish: "length",
    usage: { ...claudeUsage, outputTokens: 3 },
  },
  {
    ...anthropic,
    file: "anthropic/window-full.sse",
    text: "Lima",
    finish: "length",
    usage: { ...claudeUsage, outputTokens: 3 },
  },
  {
    ...anthropic,
    file: "anthropic/stop-sequence.sse",
    text: "Lima",
    finish: "stop",
    usage: { ...claudeUsage, outputTokens: 3 },
  },
  { ...anthropic, file: "anthropic/overloaded.sse", text: "Lima", failure: "unreachable" },
  { ...cohere, file: "cohere/text.sse", text: "Lima is sunny.", finish: "stop", usage: cohereUsage },
  {
    ...cohere,
    ...twoCities,
    file: "cohere/tools.sse",
    calls: [
      { ...lima, id: "weather_1" },
      { ...quito, id: "weather_2" },
    ],
    usage: cohereUsage,
    echo: { tool_plan: "I will look at both.", thinking: "" },
  },
  {
    ...cohere,
    ...twoCities,
    file: "cohere/tools.json",
    calls: [
      { ...lima, id: "weather_1" },
      { ...quito, id: "weather_2" },
    ],
    usage: cohereUsage,
    echo: { tool_plan: "I will look at both.", thinking: "" },
  },
  {
    ...cohere,
    file: "cohere/citations.json",
    text: "Lima is sunny.",
    finish: "stop",
    usage: { inputTokens: 37, outputTokens: 28, cachedTokens: 0 },
  },
  {
    ...cohere,
    file: "cohere/thinking.sse",
    text: "Lima is sunny.",
    finish: "length",
    usage: cohereUsage,
    echo: { tool_plan: "", thinking: "Sun!" },
  },
  { ...cohere, file: "cohere/error.sse", text: "Lima", failure: "unusable" },
];

/** Returns the text of a fixture. */
export function recordedText(file: string): string {
  return readFileSync(new URL(`./fixtures/${file}`, import.meta.url), "utf8");
}

/** Returns the content type with which a vendor sends it. */
export function recordedType(file: string): string {
  if (file.endsWith(".sse")) return "text/event-stream; charset=utf-8";
  return file.endsWith(".ndjson") ? "application/x-ndjson" : "application/json";
}

/** Splits a stream into its parts, each with its separator: events, or lines. */
export function recordedParts(file: string): string[] {
  return recordedText(file).split(file.endsWith(".sse") ? /(?<=\n\n)/ : /(?<=\n)/);
}
