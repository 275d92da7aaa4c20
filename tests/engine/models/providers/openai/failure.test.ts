import { describe, expect, test } from "bun:test";
import type { ModelFailureClass } from "../../../../../src/engine/models/model-failure.ts";
import { ollamaDialect, plainDialect } from "../../../../../src/engine/models/providers/openai/dialect.ts";
import {
  failureInAnswer,
  failureOfStatus,
} from "../../../../../src/engine/models/providers/openai/failure.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";

const subject = { name: "p/m", model: "m", dialect: plainDialect };
const clock = new FakeClock();

const failureOf = (status: number, body: unknown, of = subject) =>
  failureOfStatus(
    of,
    new Response(null, { status }),
    typeof body === "string" ? body : JSON.stringify(body),
    clock,
  );

/** What servers really send, by who sends it. */
const bodies: [who: string, status: number, body: unknown, failure: ModelFailureClass][] = [
  [
    "OpenAI, too long",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    "context_length",
  ],
  [
    "vLLM, too long",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion).",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    "context_length",
  ],
  [
    "vLLM, too long, by another check",
    400,
    {
      error: {
        message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        code: 400,
      },
    },
    "context_length",
  ],
  [
    "llama.cpp, too long",
    400,
    {
      error: {
        code: 400,
        message: "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 4390,
        n_ctx: 4096,
      },
    },
    "context_length",
  ],
  [
    "llama.cpp, too long on the way",
    500,
    { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    "context_length",
  ],
  [
    "Ollama, too long",
    400,
    { error: { message: "the input length exceeds the context length", type: "invalid_request_error" } },
    "context_length",
  ],
  [
    "TGI, too long",
    422,
    {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`",
      error_type: "validation",
    },
    "context_length",
  ],
  [
    "Mistral, too long",
    400,
    {
      object: "error",
      message: "Prompt contains 50000 tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_error",
    },
    "context_length",
  ],
  ["a body too large for the server", 413, "Payload Too Large", "context_length"],
  [
    "Groq, 413 for its rate limit",
    413,
    {
      error: {
        message: "Request too large for model x on tokens per minute (TPM): Limit 6000",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
    "unreachable",
  ],
  [
    "Ollama, model not pulled",
    404,
    { error: { message: 'model "llama9" not found, try pulling it first', type: "api_error" } },
    "unsuited",
  ],
  [
    "OpenAI, no such model",
    404,
    {
      error: {
        message: "The model `gpt-x` does not exist or you do not have access to it.",
        code: "model_not_found",
      },
    },
    "unsuited",
  ],
  [
    "vLLM, no such model",
    404,
    { object: "error", message: "The model `x` does not exist.", type: "NotFoundError", code: 404 },
    "unsuited",
  ],
  [
    "Ollama, no tools",
    400,
    { error: { message: "registry.ollama.ai/library/gemma3:4b does not support tools", type: "api_error" } },
    "unsuited",
  ],
  [
    "vLLM, tools not enabled",
    400,
    {
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      code: 400,
    },
    "unsuited",
  ],
  [
    "llama.cpp, tools not enabled",
    500,
    { error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" } },
    "unsuited",
  ],
  ["a wrong path", 404, "404 page not found", "auth"],
  ["a wrong method", 405, "", "auth"],
  [
    "OpenAI, wrong key",
    401,
    { error: { message: "Incorrect API key provided", code: "invalid_api_key" } },
    "auth",
  ],
  [
    "a key without access to a model",
    403,
    { error: { message: "Project does not have access to model `x`", code: "model_not_found" } },
    "auth",
  ],
  ["no credit", 402, { error: "Payment required" }, "auth"],
  [
    "OpenAI, rate limit",
    429,
    { error: { message: "Rate limit reached", code: "rate_limit_exceeded" } },
    "unreachable",
  ],
  [
    "OpenAI, no quota",
    429,
    { error: { code: "insufficient_quota", message: "You exceeded your current quota" } },
    "unreachable",
  ],
  ["a time-out", 408, "", "unreachable"],
  ["a conflict", 409, "", "unreachable"],
  ["too early", 425, "", "unreachable"],
  ["overloaded", 503, { error: { message: "Model is overloaded" } }, "unreachable"],
  ["a gateway's page", 502, "<html>Bad Gateway</html>", "unreachable"],
  [
    "Azure, content filter",
    400,
    { error: { code: "content_filter", message: "The response was filtered" } },
    "content_refused",
  ],
  [
    "OpenAI, content policy",
    400,
    { error: { code: "content_policy_violation", message: "…" } },
    "content_refused",
  ],
  [
    "Groq, the model wrote no valid call",
    400,
    { error: { message: "Failed to call a function.", code: "tool_use_failed" } },
    "unusable",
  ],
  [
    "a wrong parameter",
    400,
    { error: { message: "temperature must be below 2", param: "temperature" } },
    "caller",
  ],
  [
    "Mistral, a wrong field",
    422,
    { object: "error", message: { detail: [{ type: "extra_forbidden", loc: ["body", "x"] }] } },
    "caller",
  ],
  [
    "Gemini's array",
    400,
    [{ error: { code: 400, message: "Invalid value", status: "INVALID_ARGUMENT" } }],
    "caller",
  ],
  ["nothing at all", 400, "", "caller"],
];

describe("a status other than 2xx", () => {
  test.each(bodies)("%s", (_who, status, body, failure) => {
    expect(failureOf(status, body).failure).toBe(failure);
  });

  test("an endless body is judged by its beginning, in bounded time", () => {
    expect(failureOf(400, "context ".repeat(100_000)).failure).toBe("caller");
    expect(failureOf(400, { error: { message: "model ".repeat(100_000) } }).failure).toBe("caller");
  });

  test("a missing model comes with how to get it", () => {
    const ollama = { name: "ollama/llama9", model: "llama9", dialect: ollamaDialect };
    const failure = failureOf(404, { error: { message: 'model "llama9" not found' } }, ollama);
    expect(failure.details.hint).toContain("ollama pull llama9");
  });
});

describe("an error inside an answer", () => {
  const table: [name: string, payload: Record<string, unknown>, failure: ModelFailureClass][] = [
    [
      "vLLM's",
      {
        object: "error",
        message: "maximum context length is 4096 tokens",
        type: "BadRequestError",
        code: 400,
      },
      "context_length",
    ],
    ["OpenRouter's", { error: { code: 502, message: "Upstream error" } }, "unreachable"],
    ["OpenAI's", { error: { type: "server_error", message: "The server had an error" } }, "unreachable"],
    ["overload", { error: { type: "overloaded_error", message: "Overloaded" } }, "unreachable"],
    ["a wrong key", { error: { type: "authentication_error", message: "no" } }, "auth"],
    ["only a text", { error: "something broke" }, "unusable"],
  ];
  test.each(table)("%s", (_name, payload, failure) => {
    expect(failureInAnswer(subject, payload).failure).toBe(failure);
  });
});
