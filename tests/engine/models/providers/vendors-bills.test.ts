import { expect, test } from "bun:test";
import { costMicros, type Price } from "../../../../src/engine/models/price.ts";
import {
  mergeUsage,
  totalUsage,
} from "../../../../src/engine/models/providers/anthropic/anthropic-reader.ts";
import { readUsage as readCohere } from "../../../../src/engine/models/providers/cohere/cohere-reader.ts";
import { readUsage as readOpenAi } from "../../../../src/engine/models/providers/openai/openai-reader.ts";
import { completeUsage } from "../../../../src/engine/models/providers/wire/usage.ts";
import { requestOf } from "../../../support/scripted-model.ts";

/*
 * What vendors bill for the usages in their own documents, by the prices that they list. The arithmetic is the vendor's: tokens times US
 * dollars for a million tokens, so that the sum is in millionths of a dollar. No live vendor was asked.
 */

const readAnthropic = (usage: Record<string, unknown>) => totalUsage(mergeUsage({}, usage));

interface Bill {
  /** Page on which the vendor shows this usage. */
  source: string;
  read?: typeof readOpenAi;
  usage: Record<string, unknown>;
  /** US dollars for a million tokens. */
  price: Price;
  micros: number;
}

const bills: Record<string, Bill> = {
  "OpenAI, tokens from the cache": {
    source: "platform.openai.com/docs/guides/prompt-caching, gpt-4o",
    usage: {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920 },
      completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 0 },
    },
    price: { in: 2.5, cached: 1.25, out: 10 },
    micros: 86 * 2.5 + 1920 * 1.25 + 300 * 10,
  },
  "OpenAI, sound": {
    source: "platform.openai.com/docs/guides/audio, gpt-4o-audio-preview",
    usage: {
      prompt_tokens: 59,
      completion_tokens: 120,
      total_tokens: 179,
      prompt_tokens_details: { cached_tokens: 0, text_tokens: 19, audio_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 0, text_tokens: 30, audio_tokens: 90 },
    },
    price: { in: 2.5, audio_in: 40, out: 10, audio_out: 80 },
    micros: 19 * 2.5 + 40 * 40 + 30 * 10 + 90 * 80,
  },
  "Azure, thoughts within the completion": {
    source: "learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching, o1-preview",
    usage: {
      completion_tokens: 1518,
      prompt_tokens: 1566,
      total_tokens: 3084,
      completion_tokens_details: { audio_tokens: null, reasoning_tokens: 576 },
      prompt_tokens_details: { audio_tokens: null, cached_tokens: 1408 },
    },
    price: { in: 15, cached: 7.5, out: 60 },
    micros: 158 * 15 + 1408 * 7.5 + 1518 * 60,
  },
  "Anthropic, tokens written to the cache": {
    source: "platform.claude.com/docs/en/build-with-claude/prompt-caching, Sonnet",
    read: readAnthropic,
    usage: {
      input_tokens: 21,
      cache_creation_input_tokens: 188_086,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 188_086, ephemeral_1h_input_tokens: 0 },
      output_tokens: 393,
    },
    price: { in: 3, written: 3.75, cached: 0.3, out: 15 },
    micros: 21 * 3 + 188_086 * 3.75 + 393 * 15,
  },
  "Anthropic, the same tokens read": {
    source: "platform.claude.com/docs/en/build-with-claude/prompt-caching, Sonnet",
    read: readAnthropic,
    usage: {
      input_tokens: 21,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 188_086,
      output_tokens: 393,
    },
    price: { in: 3, written: 3.75, cached: 0.3, out: 15 },
    micros: 21 * 3 + 188_086 * 0.3 + 393 * 15,
  },
  "Gemini's OpenAI door, thoughts only in the total": {
    source: "ai.google.dev/gemini-api/docs/openai, gemini-2.5-flash",
    usage: { prompt_tokens: 20, completion_tokens: 151, total_tokens: 553 },
    price: { in: 0.3, cached: 0.03, out: 2.5 },
    micros: 20 * 0.3 + (151 + 382) * 2.5,
  },
  "Gemini on Vertex, cached tokens and named thoughts": {
    source: "cloud.google.com/vertex-ai/generative-ai/docs/start/openai, gemini-2.5-pro",
    usage: {
      prompt_tokens: 4000,
      completion_tokens: 100,
      total_tokens: 4900,
      prompt_tokens_details: { cached_tokens: 3000 },
      completion_tokens_details: { reasoning_tokens: 800 },
    },
    price: { in: 1.25, cached: 0.125, out: 10 },
    micros: 1000 * 1.25 + 3000 * 0.125 + (100 + 800) * 10,
  },
  "xAI, thoughts beside the completion": {
    source: "docs.x.ai/docs/guides/reasoning, grok-3-mini",
    usage: {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 94, audio_tokens: 0 },
    },
    price: { in: 0.3, cached: 0.075, out: 0.5 },
    micros: 26 * 0.3 + 6 * 0.075 + (9 + 94) * 0.5,
  },
  "DeepSeek, hits and misses of the cache": {
    source: "api-docs.deepseek.com/guides/kv_cache, deepseek-reasoner",
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 250,
      total_tokens: 1250,
      prompt_cache_hit_tokens: 896,
      prompt_cache_miss_tokens: 104,
      completion_tokens_details: { reasoning_tokens: 200 },
    },
    price: { in: 0.28, cached: 0.028, out: 0.42 },
    micros: 104 * 0.28 + 896 * 0.028 + 250 * 0.42,
  },
  Mistral: {
    source: "docs.mistral.ai/api, mistral-small",
    usage: { prompt_tokens: 16, completion_tokens: 34, total_tokens: 50 },
    price: { in: 0.1, out: 0.3 },
    micros: 16 * 0.1 + 34 * 0.3,
  },
  "Cohere, billed units and not the tokens with its own instructions": {
    source: "docs.cohere.com/reference/chat, command-r-plus",
    read: readCohere,
    usage: {
      billed_units: { input_tokens: 5, output_tokens: 418 },
      tokens: { input_tokens: 71, output_tokens: 418 },
    },
    price: { in: 2.5, out: 10 },
    micros: 5 * 2.5 + 418 * 10,
  },
  "Bedrock's OpenAI door": {
    source: "docs.aws.amazon.com/bedrock, Chat Completions, gpt-oss-120b",
    usage: {
      prompt_tokens: 76,
      completion_tokens: 217,
      total_tokens: 293,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 131 },
    },
    price: { in: 0.15, out: 0.6 },
    micros: 76 * 0.15 + 217 * 0.6,
  },
  "Moonshot, cached tokens at the top": {
    source: "platform.moonshot.ai/docs/api/chat, kimi-k2",
    usage: { prompt_tokens: 1019, completion_tokens: 21, total_tokens: 1040, cached_tokens: 768 },
    price: { in: 0.6, cached: 0.15, out: 2.5 },
    micros: 251 * 0.6 + 768 * 0.15 + 21 * 2.5,
  },
  "Zhipu, cached tokens and thoughts within": {
    source: "docs.z.ai/guides/capabilities/cache, glm-4.6",
    usage: {
      prompt_tokens: 1200,
      completion_tokens: 300,
      total_tokens: 1500,
      prompt_tokens_details: { cached_tokens: 800 },
      completion_tokens_details: { reasoning_tokens: 250 },
    },
    price: { in: 0.6, cached: 0.11, out: 2.2 },
    micros: 400 * 0.6 + 800 * 0.11 + 300 * 2.2,
  },
  "DashScope, its implicit cache": {
    source: "alibabacloud.com/help/en/model-studio/context-cache, qwen-plus",
    usage: {
      prompt_tokens: 3019,
      completion_tokens: 104,
      total_tokens: 3123,
      prompt_tokens_details: { cached_tokens: 2048 },
    },
    price: { in: 0.4, cached: 0.08, out: 1.2 },
    micros: 971 * 0.4 + 2048 * 0.08 + 104 * 1.2,
  },
  "DashScope, tokens written to its explicit cache": {
    source: "alibabacloud.com/help/en/model-studio/context-cache, qwen3-coder-plus",
    usage: {
      prompt_tokens: 1224,
      completion_tokens: 50,
      total_tokens: 1274,
      prompt_tokens_details: {
        cached_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 1204 },
        cache_creation_input_tokens: 1204,
        cache_type: "ephemeral",
      },
    },
    price: { in: 1, cached: 0.1, written: 1.25, out: 5 },
    micros: 20 * 1 + 1204 * 1.25 + 50 * 5,
  },
  "Groq, half the price from its cache": {
    source: "console.groq.com/docs/prompt-caching, kimi-k2-instruct",
    usage: {
      queue_time: 0.026,
      prompt_tokens: 4641,
      prompt_time: 0.009,
      completion_tokens: 1817,
      total_tokens: 6458,
      prompt_tokens_details: { cached_tokens: 4608 },
    },
    price: { in: 1, cached: 0.5, out: 3 },
    micros: 33 * 1 + 4608 * 0.5 + 1817 * 3,
  },
  "OpenRouter, tokens written to the cache": {
    source: "openrouter.ai/docs/use-cases/usage-accounting, claude-sonnet",
    usage: {
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.000_687,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    price: { in: 3, cached: 0.3, written: 3.75, out: 15 },
    micros: 94 * 3 + 100 * 3.75 + 2 * 15,
  },
};

const perThousand = (price: Price): Price =>
  Object.fromEntries(
    Object.entries(price).map(([part, dollars]) => [part, dollars * 1000]),
  ) as unknown as Price;

test.each(Object.entries(bills))("%s", (_, { read = readOpenAi, usage, price, micros }) => {
  const counted = completeUsage(read(usage), requestOf("hi"), "", []);
  expect(counted.estimated).toBe(false);
  expect(costMicros(counted, perThousand(price))).toBe(Math.round(micros));
});

test("at least twelve vendors' bills are compared", () => {
  expect(new Set(Object.values(bills).map(({ source }) => source.split("/")[0])).size).toBeGreaterThan(12);
});
