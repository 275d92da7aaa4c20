import { expect, test } from "bun:test";
import { costMicros } from "../../../../../src/engine/models/price.ts";
import { readUsage } from "../../../../../src/engine/models/providers/openai/openai-reader.ts";
import { completeUsage } from "../../../../../src/engine/models/providers/wire/usage.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

/** Micros of USD per 1000 tokens: a token in costs one micro, out ten, from the cache a tenth. */
const price = { in: 1000, out: 10_000, cached: 100 };

/** Usages as vendors' API references show them, and what the vendor bills for: uncached input, cached input, output. */
const table: [vendor: string, usage: Record<string, unknown>, billed: [number, number, number]][] = [
  [
    "OpenAI, thoughts within the completion",
    {
      prompt_tokens: 1117,
      completion_tokens: 1000,
      total_tokens: 2117,
      prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 900, audio_tokens: 0 },
    },
    [93, 1024, 1000],
  ],
  [
    "xAI, thoughts beside the completion",
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { text_tokens: 32, cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 94 },
    },
    [26, 6, 103],
  ],
  [
    "Gemini, thoughts only in the total",
    { prompt_tokens: 20, completion_tokens: 151, total_tokens: 553 },
    [20, 0, 533],
  ],
  [
    "DeepSeek, hits and misses of its cache",
    {
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1050,
      prompt_cache_hit_tokens: 960,
      prompt_cache_miss_tokens: 40,
      completion_tokens_details: { reasoning_tokens: 20 },
    },
    [40, 960, 50],
  ],
  [
    "Moonshot, cached tokens at the top",
    { prompt_tokens: 300, completion_tokens: 7, total_tokens: 307, cached_tokens: 256 },
    [44, 256, 7],
  ],
  ["Mistral", { prompt_tokens: 16, completion_tokens: 34, total_tokens: 50 }, [16, 0, 34]],
  [
    "Groq, with its times",
    { prompt_tokens: 18, completion_tokens: 556, total_tokens: 574, queue_time: 0.04, total_time: 0.46 },
    [18, 0, 556],
  ],
  [
    "OpenRouter",
    {
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.95,
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    [194, 0, 2],
  ],
  [
    "vLLM",
    { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16, prompt_tokens_details: null },
    [7, 0, 9],
  ],
  ["a server without a total", { prompt_tokens: 7, completion_tokens: 9 }, [7, 0, 9]],
  ["a total that is too small", { prompt_tokens: 7, completion_tokens: 9, total_tokens: 3 }, [7, 0, 9]],
  [
    "more cached than read",
    { prompt_tokens: 7, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 99 } },
    [0, 7, 9],
  ],
];

test.each(table)("the cost is the vendor's own: %s", (_vendor, usage, [input, cached, output]) => {
  const counted = completeUsage(readUsage(usage), requestOf("hi"), "", []);
  expect(costMicros(counted, price)).toBe(Math.round(input + cached / 10 + output * 10));
});

test("a thought that the server reports is part of the output", () => {
  const usage = {
    prompt_tokens: 1,
    completion_tokens: 10,
    completion_tokens_details: { reasoning_tokens: 99 },
  };
  expect(completeUsage(readUsage(usage), requestOf("hi"), "", []).reasoningTokens).toBe(10);
});
