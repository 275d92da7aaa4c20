import { codeAndMessage, type ErrorForm } from "../../http/errors/error-answer.ts";
import type { AppError } from "../../kit/app-error.ts";
import { renderRpcError } from "./mcp/rpc-error.ts";

/** Error bodies of the daemon. Routes of other protocols use the body that their clients expect. */
export const daemonErrorForm: ErrorForm = {
  schema: codeAndMessage.schema,
  render(error, path) {
    if (isOpenAiPath(path)) return renderOpenAiError(error);
    return isMcpPath(path) ? renderRpcError(error) : codeAndMessage.render(error, path);
  },
};

/** Error body as in OpenAI's API reference. `trace_id` is an extension, for failed runs. */
export function renderOpenAiError(error: AppError): object {
  const { hint, problems, facts } = error.details;
  return {
    error: {
      message: hint === undefined ? error.message : `${error.message} ${hint}`,
      type: openAiType(error.status),
      param: (error.kind === "invalid" && problems?.[0]?.path) || null,
      code: error.code,
      ...(facts?.trace_id !== undefined && { trace_id: facts.trace_id }),
    },
  };
}

function isOpenAiPath(path: string): boolean {
  return /^\/v1\/(?:models|chat|embeddings)(?:\/|$)/.test(path);
}

function isMcpPath(path: string): boolean {
  return path === "/mcp" || path === "/mcp/";
}

function openAiType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
