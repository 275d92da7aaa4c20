import type { Clock } from "../../../../kit/clock.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { parseJson } from "../../../../kit/json/parse-json.ts";
import { redactText } from "../../../../kit/secrets/redact-text.ts";
import type { FailureSign, ModelFailureClass } from "../../judge-call.ts";
import { ModelFailure } from "../../model-failure.ts";
import { toJson } from "./json.ts";

/** The called model, for messages: names only, never addresses, keys or bodies. */
export interface Subject {
  /** `provider/model`. */
  name: string;
  model: string;
  /** Returns how an operator can add the model to a server that lacks it. */
  missingModelHint?: (model: string) => string;
  /** True if the model writes its thoughts into its answer. */
  writesThoughts?: boolean;
  /** Masks the key in the server's texts. */
  mask?: (text: string) => string;
  /** Statuses with a vendor-specific meaning. */
  statuses?: Readonly<Record<number, ModelFailureClass>>;
}

interface ErrorBody {
  message: string;
  /** `code` and `type`, joined: vendors use either for the specific error. */
  words: string;
  code: unknown;
}

const messageCharsMax = 4000;
const upstreamCharsMax = 500;

/*
 * Error texts by vendor. Too long: context_length_exceeded: OpenAI, Groq; "maximum context length", "maximum model
 * length": vLLM; exceed_context_size_error, "available context size", "Context size has been exceeded", "context window of":
 * llama.cpp; "exceeds the context length", "exceeded max context length": Ollama; "`inputs` tokens + `max_new_tokens` must
 * be", "`inputs` must have less than": TGI; "too large for model": Mistral; "prompt is too long", "exceed context limit":
 * Anthropic; "input token count (…) exceeds the maximum": Gemini; "Input is too long for requested model", "Too many input tokens",
 * "expected maxLength": Bedrock; "exceeded model token limit": Moonshot; 1261, "Prompt exceeds max length": Zhipu; "Range of input
 * length should be": DashScope; "prompt token count of … exceeds the limit": GitHub; "too many tokens: total number of …", "… size limit exceeded": Cohere, whose "too many tokens: max tokens …" is
 * about the answer asked for. Missing: "not_found_error model: …": Anthropic. No money: "credit balance is too low",
 * "reached your specified API usage limits": Anthropic, with status 400. Missing too: DeploymentNotFound: Azure; "No endpoints
 * found that support …": OpenRouter, whose 403 may be a moderation's verdict.
 */
const contextLength =
  /context[_ ](?:length|window|size|limit)|exceed_context_size|maximum (?:model|prompt|input) length|max_model_len|`?inputs`? (?:tokens|must have)|too large for model|too many tokens(?!: max tokens)|too many input tokens|prompt is too long|input is too long|prompt exceeds max|input token count|range of input length|model token limit|expected maxLength|token count of [0-9]+ exceeds|\b1261\b|reduce the length of the (?:messages|prompt)/i;
const contentRefusal = /content_filter|content_policy|content management policy|responsible ?ai|moderation/i;
const missingModel =
  /model_not_found|model_not_exist|invalid_model|deployment_?not_?found|deployment for this resource does not exist|no endpoints found|not_found_error model:|\bmodel\b.{0,200}(?:not found|does not exist|not exist|is not available)|no such model|not a valid model|decommissioned/i;
const noTools =
  /does not support (?:tools|function|tool)|tool choice requires|tools param requires|requires --jinja|tool[_ ]use is not supported|that support tool use/i;
const unfit =
  /does not support (?:chat|generate)|does not work with the specified model|not_supported_error|not supported by the \w+ api|requires more (?:system )?memory/i;
const badGeneration = /tool_use_failed|json_validate_failed/i;
const answerShape =
  /response_?format|output_(?:config|format)|json.?(?:schema|validate_failed)|structured.?output|grammar|guided|\bformat\b/i;
const overloaded =
  /rate_limit|overloaded|server_error|api_error|unavailable|timeout|capacity|internal_error/i;
const unauthorized = /auth|api_key|permission|insufficient_quota|billing/i;
const noCredit = /credit balance|(?:spend(?:ing)?|api usage) limits?/i;
const parameter = /\b(temperature|top_p|top_k|max_tokens|frequency_penalty|presence_penalty)\b/;

/** The failure for a status other than 2xx. */
export function failureOfStatus(
  subject: Subject,
  response: Response,
  body: string,
  clock: Clock,
): ModelFailure {
  const error = readError(parseJson(body) ?? body);
  const { status } = response;
  const failure = classOfWords(error, status) ?? subject.statuses?.[status] ?? classOfStatus(status);
  const retryAfterSeconds = readRetryAfter(response.headers, clock);
  const sign = signOf(error, status);
  return makeFailure(subject, failure, { what: `answered ${status}`, error, body, retryAfterSeconds, sign });
}

/** The failure for an error object inside an answer, whatever the answer's status. */
export function failureInAnswer(subject: Subject, payload: Record<string, unknown>): ModelFailure {
  const error = readError(payload);
  const status = Number(error.code);
  const failure =
    classOfWords(error, status) ??
    (status >= 400 && status <= 599 ? classOfStatus(status) : undefined) ??
    (overloaded.test(error.words) ? "unreachable" : undefined) ??
    (unauthorized.test(error.words) ? "auth" : undefined) ??
    "unusable";
  const isStatus = status >= 400 && status <= 599;
  return makeFailure(subject, failure, {
    what: "broke off with an error",
    error,
    body: toJson(payload),
    retryAfterSeconds: undefined,
    sign: signOf(error, isStatus ? status : undefined),
  });
}

/** Returns true if the answer's schema may have caused the failure, so that a call without it may succeed. */
export function mayBlameShape({ failure, usage, cause }: ModelFailure): boolean {
  if (usage !== undefined) return false;
  if (failure === "caller") return true;
  const isDoubtful = failure === "unusable" || failure === "unsuited" || failure === "unreachable";
  return isDoubtful && cause instanceof Error && answerShape.test(cause.message);
}

function classOfWords(error: ErrorBody, status: number): ModelFailureClass | undefined {
  if (status === 401 || status === 429) return undefined;
  const text = `${error.words} ${error.message}`;
  if (status === 403) return contentRefusal.test(text) ? "content_refused" : undefined;
  if (/rate_limit/i.test(error.words)) return "unreachable";
  if (badGeneration.test(error.words)) return "unusable";
  if (contextLength.test(text)) return "context_length";
  if (contentRefusal.test(text)) return "content_refused";
  if (noTools.test(text) || missingModel.test(text) || unfit.test(text)) return "unsuited";
  if (noCredit.test(error.message)) return "auth";
  return undefined;
}

function classOfStatus(status: number): ModelFailureClass {
  if (status === 413) return "context_length";
  // 424: text-generation-inference, failed generation; 498: Groq, no capacity; 499: Cohere and Groq, cancelled call.
  if (status >= 500 || [408, 409, 424, 425, 429, 498, 499].includes(status)) return "unreachable";
  return status < 400 || [401, 402, 403, 404, 405, 410].includes(status) ? "auth" : "caller";
}

/** Evidence of an error that a server reported; without a status it was inside an answer. */
function signOf({ words }: ErrorBody, status: number | undefined): FailureSign {
  if (status === 429 || /rate_limit/i.test(words)) return { sign: "throttled" };
  return status === undefined ? { sign: "garbled" } : { sign: "status", status };
}

interface Evidence {
  what: string;
  error: ErrorBody;
  body: string;
  retryAfterSeconds: number | undefined;
  sign: FailureSign;
}

function makeFailure(
  subject: Subject,
  failure: ModelFailureClass,
  { what, error, body, retryAfterSeconds, sign }: Evidence,
): ModelFailure {
  const hint = hintOf(subject, failure, error);
  const { mask = (text: string) => text } = subject;
  return new ModelFailure(failure, `${subject.name} ${what}${meanings[failure]}.`, {
    cause: new Error(mask(body.slice(0, messageCharsMax))),
    sign,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(hint === undefined ? {} : { hint }),
    upstreamMessage: redactText(mask(error.message)).trim().slice(0, upstreamCharsMax),
  });
}

const meanings: Record<ModelFailureClass, string> = {
  unreachable: "",
  unusable: "",
  auth: ": the key or the address is not accepted",
  unsuited: ": this model is not there or can't do what is asked",
  context_length: ": the conversation is longer than the model can read",
  content_refused: ": the provider refuses this content",
  caller: ": it does not accept this request",
};

function hintOf(subject: Subject, failure: ModelFailureClass, error: ErrorBody): string | undefined {
  if (failure === "unsuited") {
    const text = `${error.words} ${error.message}`;
    if (noTools.test(text)) {
      return `Give the agent a model that can use tools, or start the server with tool calls enabled.`;
    }
    if (unfit.test(text)) return "Name a model that can chat and that the server has memory for.";
    return subject.missingModelHint?.(subject.model) ?? `Name a model that this server has.`;
  }
  const named = failure === "caller" ? parameter.exec(error.message)?.[1] : undefined;
  if (named !== undefined) return `It names the parameter ${named}; change it or leave it out.`;
  if (/insufficient_quota|billing/i.test(error.words) || noCredit.test(error.message)) {
    return "The account has no credit left.";
  }
  if (failure === "auth") return "Check the key's variable (api_key_env) and the endpoint.";
  return undefined;
}

/** Finds message, code and type in the various formats that servers use. */
function readError(body: unknown): ErrorBody {
  const outer = Array.isArray(body) ? body[0] : body;
  if (!isRecord(outer)) return { message: asText(outer), words: "", code: undefined };
  const inner = isRecord(outer.error) ? outer.error : outer;
  const message = inner.message ?? outer.error ?? inner.detail;
  const words = [inner.code, inner.type, inner.error_type, inner.status]
    .filter((word) => typeof word === "string")
    .join(" ");
  return { message: asText(message), words: words.slice(0, messageCharsMax), code: inner.code };
}

function asText(value: unknown): string {
  return (typeof value === "string" ? value : toJson(value)).slice(0, messageCharsMax);
}

/** Whole seconds, rounded up, from OpenAI's and Azure's milliseconds, a number or a date; at most one day. */
function readRetryAfter(headers: Headers, clock: Clock): number | undefined {
  const exact = decimalOf(headers.get("retry-after-ms"));
  const header = headers.get("retry-after");
  if (exact === undefined && header === null) return undefined;
  const seconds =
    exact === undefined
      ? (decimalOf(header) ?? (Date.parse(header ?? "") - clock.now().getTime()) / 1000)
      : exact / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), 86_400);
}

function decimalOf(text: string | null): number | undefined {
  return text !== null && /^[0-9]+(?:\.[0-9]+)?$/.test(text.trim()) ? Number(text) : undefined;
}
