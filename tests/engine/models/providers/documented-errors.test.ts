import { expect, test } from "bun:test";
import type { ModelFailureClass } from "../../../../src/engine/models/judge-call.ts";
import { failureOfStatus } from "../../../../src/engine/models/providers/wire/failure.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } });

/** Errors from vendors' documents and servers' sources, in addition to those of `wire/failure.test.ts`. */
const errors: [who: string, status: number, body: unknown, failure: ModelFailureClass][] = [
  // OpenAI's, as documented at platform.openai.com/docs/guides/error-codes.
  [
    "OpenAI, no project access",
    401,
    { error: { message: "You must be a member of an organization", type: "invalid_request_error" } },
    "auth",
  ],
  [
    "OpenAI, a region it does not serve",
    403,
    {
      error: {
        code: "unsupported_country_region_territory",
        message: "Country, region, or territory not supported",
      },
    },
    "auth",
  ],
  [
    "OpenAI, overloaded",
    503,
    {
      error: { message: "The engine is currently overloaded, please try again later", type: "server_error" },
    },
    "unreachable",
  ],
  ["OpenAI, slow down", 503, { error: { message: "Slow Down", type: "server_error" } }, "unreachable"],
  [
    "OpenAI, its fault",
    500,
    { error: { message: "The server had an error while processing your request", type: "server_error" } },
    "unreachable",
  ],
  [
    "OpenAI, a parameter of older models",
    400,
    {
      error: {
        message: "Unsupported parameter: 'max_tokens' is not supported with this model.",
        type: "invalid_request_error",
        param: "max_tokens",
        code: "unsupported_parameter",
      },
    },
    "caller",
  ],
  // Azure's, as documented on Microsoft Learn (content filtering; quotas and limits; troubleshooting).
  [
    "Azure, no such deployment",
    404,
    {
      error: {
        code: "DeploymentNotFound",
        message:
          "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
      },
    },
    "unsuited",
  ],
  ["Azure, no such resource", 404, { error: { code: "404", message: "Resource not found" } }, "auth"],
  [
    "Azure, a model that can't chat",
    400,
    {
      error: {
        code: "OperationNotSupported",
        message:
          "The chatCompletion operation does not work with the specified model, x. Please choose different model and try again.",
      },
    },
    "unsuited",
  ],
  [
    "Azure, a prompt it filters",
    400,
    {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation" },
      },
    },
    "content_refused",
  ],
  [
    "Azure, wrong key",
    401,
    {
      statusCode: 401,
      message: "Unauthorized. Access token is missing, invalid, audience is incorrect, or have expired.",
    },
    "auth",
  ],
  [
    "Azure, behind a firewall",
    403,
    { error: { code: "403", message: "Access denied due to Virtual Network/Firewall rules." } },
    "auth",
  ],
  [
    "Azure, rate limit",
    429,
    {
      error: {
        code: "429",
        message: "Requests to the ChatCompletions_Create Operation have exceeded token rate limit",
      },
    },
    "unreachable",
  ],
  [
    "Azure, too slow",
    408,
    { error: { code: "Timeout", message: "The operation was timeout." } },
    "unreachable",
  ],
  // DeepSeek's, as documented at api-docs.deepseek.com/quick_start/error_codes.
  [
    "DeepSeek, invalid format",
    400,
    {
      error: {
        message: "Failed to deserialize the JSON body",
        type: "invalid_request_error",
        param: null,
        code: "invalid_request_error",
      },
    },
    "caller",
  ],
  [
    "DeepSeek, no thoughts given back",
    400,
    {
      error: {
        message: "Missing `reasoning_content` field in the assistant message at message index 2",
        type: "invalid_request_error",
      },
    },
    "caller",
  ],
  [
    "DeepSeek, no balance",
    402,
    { error: { message: "Insufficient Balance", type: "unknown_error" } },
    "auth",
  ],
  [
    "DeepSeek, no such model",
    400,
    { error: { message: "Model Not Exist", type: "invalid_request_error", code: "invalid_request_error" } },
    "unsuited",
  ],
  ["DeepSeek, invalid parameters", 422, { error: { message: "Invalid max_tokens value" } }, "caller"],
  ["DeepSeek, overloaded", 503, { error: { message: "Service is too busy" } }, "unreachable"],
  // OpenRouter's, as documented at openrouter.ai/docs/api/reference/errors-and-debugging.
  ["OpenRouter, no credits", 402, { error: { code: 402, message: "Insufficient credits" } }, "auth"],
  [
    "OpenRouter, flagged",
    403,
    {
      error: {
        code: 403,
        message: "vendor/model requires moderation. Your input was flagged",
        metadata: { reasons: ["violence"], flagged_input: "…" },
      },
    },
    "content_refused",
  ],
  [
    "OpenRouter, no right",
    403,
    { error: { code: 403, message: "Only management keys can perform this operation" } },
    "auth",
  ],
  ["OpenRouter, too slow", 408, { error: { code: 408, message: "Request timed out" } }, "unreachable"],
  [
    "OpenRouter, the model is down",
    502,
    { error: { code: 502, message: "Provider returned error", metadata: { provider_name: "Vendor" } } },
    "unreachable",
  ],
  [
    "OpenRouter, nobody serves it",
    503,
    {
      error: {
        code: 503,
        message: "There is no available model provider that meets your routing requirements",
      },
    },
    "unreachable",
  ],
  [
    "OpenRouter, nobody with tools",
    404,
    { error: { code: 404, message: "No endpoints found that support tool use." } },
    "unsuited",
  ],
  [
    "OpenRouter, no such model",
    400,
    { error: { code: 400, message: "vendor/none is not a valid model ID" } },
    "unsuited",
  ],
  // vLLM's newer form, from its source.
  [
    "vLLM, too long, newer",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.",
        type: "BadRequestError",
        param: "input_tokens",
        code: 400,
      },
    },
    "context_length",
  ],
  [
    "vLLM, no such model, newer",
    404,
    { error: { message: "The model `x` does not exist.", type: "NotFoundError", param: "model", code: 404 } },
    "unsuited",
  ],
  [
    "vLLM, its engine died",
    500,
    {
      error: {
        message: "EngineCore encountered an issue.",
        type: "InternalServerError",
        param: null,
        code: 500,
      },
    },
    "unreachable",
  ],
  ["vLLM, wrong key", 401, { error: "Unauthorized" }, "auth"],
  // llama.cpp's, from tools/server/README.md and its source.
  [
    "llama.cpp, still loading",
    503,
    { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
    "unreachable",
  ],
  [
    "llama.cpp, wrong key",
    401,
    { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } },
    "auth",
  ],
  [
    "llama.cpp, can't do it",
    501,
    {
      error: {
        code: 501,
        message: "This feature is not supported by multimodal",
        type: "not_supported_error",
      },
    },
    "unsuited",
  ],
  [
    "llama.cpp, a wrong field",
    400,
    { error: { code: 400, message: '"messages" is required', type: "invalid_request_error" } },
    "caller",
  ],
  // Text-generation-inference's, from docs/openapi.json.
  ["TGI, overloaded", 429, { error: "Model is overloaded", error_type: "overloaded" }, "unreachable"],
  [
    "TGI, a generation that failed",
    424,
    { error: "Request failed during generation", error_type: "generation" },
    "unreachable",
  ],
  [
    "TGI, a generation that stopped",
    500,
    { error: "Incomplete generation", error_type: "incomplete_generation" },
    "unreachable",
  ],
  [
    "TGI, a wrong field",
    422,
    { error: "Input validation error: `temperature` must be strictly positive", error_type: "validation" },
    "caller",
  ],
  [
    "TGI, no tools",
    422,
    { error: "Template error: template not found", error_type: "template_error" },
    "caller",
  ],
  // Groq's, as documented at console.groq.com/docs/errors.
  [
    "Groq, wrong JSON of the model's",
    400,
    {
      error: {
        message: "Failed to generate JSON. Please adjust your prompt.",
        type: "invalid_request_error",
        code: "json_validate_failed",
        failed_generation: "{",
      },
    },
    "unusable",
  ],
  [
    "Groq, a dependency failed",
    424,
    { error: { message: "MCP server failed", type: "invalid_request_error" } },
    "unreachable",
  ],
  ["Groq, given up", 499, { error: { message: "Request cancelled" } }, "unreachable"],
  [
    "Groq, a retired model",
    400,
    {
      error: {
        message: "The model `x` has been decommissioned and is no longer supported.",
        type: "invalid_request_error",
        code: "model_decommissioned",
      },
    },
    "unsuited",
  ],
  [
    "Groq, a model that needs terms",
    400,
    { error: { message: "The model `x` requires terms acceptance.", code: "model_terms_required" } },
    "caller",
  ],
  // Mistral's, as documented at docs.mistral.ai (API, error codes).
  ["Mistral, wrong key", 401, { detail: "Unauthorized" }, "auth"],
  [
    "Mistral, no such model",
    400,
    { object: "error", message: "Invalid model: x", type: "invalid_model", param: null, code: "1500" },
    "unsuited",
  ],
  [
    "Mistral, rate limit",
    429,
    {
      object: "error",
      message: "Requests rate limit exceeded",
      type: "rate_limited",
      param: null,
      code: "1300",
    },
    "unreachable",
  ],
  [
    "Mistral, no capacity",
    429,
    {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      code: "3505",
    },
    "unreachable",
  ],
  [
    "Mistral, order of messages",
    400,
    {
      object: "error",
      message: "Expected last role User or Tool",
      type: "invalid_request_message_order",
      param: null,
      code: "3230",
    },
    "caller",
  ],
  ["Mistral, not reachable", 502, "Bad Gateway", "unreachable"],
  // Cohere's, the rest of docs.cohere.com/reference/errors.
  [
    "Cohere, no messages",
    400,
    { message: "invalid request: message must be at least 1 token long or tool results must be specified." },
    "caller",
  ],
  ["Cohere, not implemented", 501, { message: "not implemented" }, "unreachable"],
  [
    "Cohere, its fault",
    500,
    { message: "internal server error, this has been reported to our developers." },
    "unreachable",
  ],
  ["Cohere, overloaded", 503, { message: "service unavailable" }, "unreachable"],
  ["Cohere, too slow", 504, { message: "gateway timeout" }, "unreachable"],
  ["Cohere, blocked", 403, { message: "Please contact support" }, "auth"],
  // Anthropic's, further wordings.
  [
    "Anthropic, unknown field",
    400,
    anthropicError("invalid_request_error", "output_config.format: Extra inputs are not permitted"),
    "caller",
  ],
  [
    "Anthropic, thoughts changed",
    400,
    anthropicError("invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block"),
    "caller",
  ],
  // Ollama's own, further wordings.
  [
    "Ollama's own, its runner died",
    500,
    { error: "llama runner process has terminated: signal: killed" },
    "unreachable",
  ],
  ["Ollama's own, cloud limit", 429, { error: "you have reached your hourly usage limit" }, "unreachable"],
];

test.each(errors)("%s", (_who, status, body, failure) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = new Response(null, { status });
  expect(failureOfStatus({ name: "p/m", model: "m" }, response, text, new FakeClock()).failure).toBe(failure);
});
