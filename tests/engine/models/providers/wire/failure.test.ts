import { describe, expect, test } from "bun:test";
import type { ModelFailureClass } from "../../../../../src/engine/models/judge-call.ts";
import {
  failureInAnswer,
  failureOfStatus,
  type Subject,
} from "../../../../../src/engine/models/providers/wire/failure.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";

const subject: Subject = { name: "p/m", model: "m" };
const clock = new FakeClock();

const failureOf = (status: number, body: unknown, of = subject) =>
  failureOfStatus(
    of,
    new Response(null, { status }),
    typeof body === "string" ? body : JSON.stringify(body),
    clock,
  );

const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } });

/** Real error bodies, by sender. */
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
  // Anthropic's, as documented at platform.claude.com/docs/en/api/errors; wordings also from its error messages in the wild.
  [
    "Anthropic, too long",
    400,
    anthropicError("invalid_request_error", "prompt is too long: 200251 tokens > 200000 maximum"),
    "context_length",
  ],
  [
    "Anthropic, too long with the answer asked for",
    400,
    anthropicError(
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000, decrease input length or `max_tokens`",
    ),
    "context_length",
  ],
  [
    "Anthropic, too many bytes",
    413,
    anthropicError("request_too_large", "Request exceeds the maximum size"),
    "context_length",
  ],
  ["Anthropic, no such model", 404, anthropicError("not_found_error", "model: claude-nine"), "unsuited"],
  ["Anthropic, a wrong path", 404, anthropicError("not_found_error", "Not Found"), "auth"],
  ["Anthropic, wrong key", 401, anthropicError("authentication_error", "invalid x-api-key"), "auth"],
  ["Anthropic, no right", 403, anthropicError("permission_error", "No access to this resource"), "auth"],
  ["Anthropic, no payment", 402, anthropicError("billing_error", "Check your payment details"), "auth"],
  [
    "Anthropic, no credit",
    400,
    anthropicError("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "auth",
  ],
  [
    "Anthropic, its spend limit",
    400,
    anthropicError("invalid_request_error", "You have reached your specified API usage limits."),
    "auth",
  ],
  [
    "Anthropic, rate limit",
    429,
    anthropicError("rate_limit_error", "This request would exceed your limit"),
    "unreachable",
  ],
  ["Anthropic, conflict", 409, anthropicError("conflict_error", "Conflict"), "unreachable"],
  ["Anthropic, its fault", 500, anthropicError("api_error", "Internal server error"), "unreachable"],
  ["Anthropic, too slow", 504, anthropicError("timeout_error", "Request timed out"), "unreachable"],
  ["Anthropic, overloaded", 529, anthropicError("overloaded_error", "Overloaded"), "unreachable"],
  [
    "Anthropic, a parameter it gave up",
    400,
    anthropicError("invalid_request_error", "`temperature` is deprecated for this model."),
    "caller",
  ],
  // Cohere's, as documented at docs.cohere.com/reference/errors.
  [
    "Cohere, too long",
    400,
    {
      message:
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.",
    },
    "context_length",
  ],
  [
    "Cohere, too long an answer asked for",
    400,
    {
      message:
        "too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model - received 8192.",
    },
    "caller",
  ],
  ["Cohere, wrong key", 401, { id: "1", message: "invalid api token" }, "auth"],
  ["Cohere, no payment", 402, { message: "Please add or update your payment method" }, "auth"],
  [
    "Cohere, no such model",
    404,
    { message: "model 'command-z' not found, make sure the correct model ID was used" },
    "unsuited",
  ],
  [
    "Cohere, a model that can't chat",
    400,
    { message: "invalid request: model 'embed-v4.0' is not supported by the chat API" },
    "unsuited",
  ],
  [
    "Cohere, rate limit",
    429,
    { message: "You are using a Trial key, which is limited to 20 calls" },
    "unreachable",
  ],
  ["Cohere, given up on the way", 499, { message: "request cancelled" }, "unreachable"],
  ["Groq, no capacity", 498, { error: { message: "Flex tier capacity exceeded" } }, "unreachable"],
  // Ollama's own API, as documented at docs.ollama.com/api/errors; wordings from the server's source.
  ["Ollama's own, not pulled", 404, { error: "model 'llama9' not found" }, "unsuited"],
  [
    "Ollama's own, no tools",
    400,
    { error: "registry.ollama.ai/library/gemma3:4b does not support tools" },
    "unsuited",
  ],
  ["Ollama's own, an embedder", 400, { error: '"nomic-embed-text" does not support chat' }, "unsuited"],
  [
    "Ollama's own, too big for the machine",
    500,
    { error: "model requires more system memory (38.4 GiB) than is available (15.5 GiB)" },
    "unsuited",
  ],
  [
    "Ollama's own, too long",
    400,
    { error: "prompt too long; exceeded max context length by 12 tokens" },
    "context_length",
  ],
  [
    "Ollama's own, busy",
    503,
    { error: "server busy, please try again.  maximum pending requests exceeded" },
    "unreachable",
  ],
  ["Ollama's own, cloud model", 401, { error: "unauthorized", signin_url: "https://ollama.example" }, "auth"],
  ["Ollama's own, cloud down", 502, { error: "upstream is not reachable" }, "unreachable"],
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
    const ollama = {
      name: "ollama/llama9",
      model: "llama9",
      missingModelHint: (name: string) => `pull ${name}`,
    };
    const failure = failureOf(404, { error: { message: 'model "llama9" not found' } }, ollama);
    expect(failure.details.hint).toBe("pull llama9");
  });
});

describe("the hint", () => {
  test.each([
    [
      "that the account is empty",
      failureOf(400, anthropicError("e", "Your credit balance is too low")),
      /credit/,
    ],
    ["that a parameter is in the way", failureOf(400, "`top_k` is deprecated"), /parameter top_k/],
    ["that the model is too big", failureOf(500, "model requires more memory"), /memory/],
    ["that the model can't use tools", failureOf(400, { error: "x does not support tools" }), /use tools/],
  ])("says %s", (_what, failure, hint) => {
    expect(failure.details.hint).toMatch(hint);
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
    ["Anthropic's own fault", anthropicError("api_error", "Internal server error"), "unreachable"],
    ["Ollama's, out of memory", { error: "model requires more system memory" }, "unsuited"],
    ["a wrong key", { error: { type: "authentication_error", message: "no" } }, "auth"],
    ["only a text", { error: "something broke" }, "unusable"],
  ];
  test.each(table)("%s", (_name, payload, failure) => {
    expect(failureInAnswer(subject, payload).failure).toBe(failure);
  });
});
