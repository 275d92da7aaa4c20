import { type RenderError, renderCodeAndMessage } from "../../http/error-answer.ts";
import type { AppError } from "../../kit/app-error.ts";

/** The daemon's error body; the OpenAI-compatible routes have the body that their clients read. */
export const renderDaemonError: RenderError = (error, path) =>
  path === "/v1/models" || path.startsWith("/v1/chat/") ? renderOpenAiError(error) : renderCodeAndMessage(error, path);

/** `{error: {message, type, param, code}}`, as OpenAI's API reference gives it. */
export function renderOpenAiError(error: AppError): object {
  const message = error.details.hint === undefined ? error.message : `${error.message} ${error.details.hint}`;
  return {
    error: { message, type: openAiType(error.status), param: error.details.problems?.[0]?.path ?? null, code: error.code },
  };
}

function openAiType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
