import type { AppError } from "../../../kit/app-error.ts";

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

function openAiType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
