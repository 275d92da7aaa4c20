import { ModelFailure } from "../../../engine/models/model-failure.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { upstreamDetails } from "../upstream-details.ts";

/** The error as a client of this API understands it: what a provider refuses in the request is 400, and not tried again. */
export function toOpenAiError(thrown: unknown): AppError {
  const error = toAppError(thrown);
  const failure = [error, error.cause].find((one) => one instanceof ModelFailure);
  const { message, details, code } = error;
  if (failure?.failure === "content_refused" && error.status === 422)
    return new AppError("invalid", code, message, { details, cause: failure });
  if (failure?.isRefusal !== true || error.status < 500) return error;
  return new AppError("invalid", "invalid_request", message, { details, cause: failure });
}

/** Error body as in OpenAI's API reference. `trace_id` and `details` are extensions, for failed runs and for the provider's words. */
export function renderOpenAiError(error: AppError): object {
  const { hint, problems, facts } = error.details;
  return {
    error: {
      message: hint === undefined ? error.message : `${error.message} ${hint}`,
      type: openAiType(error.status),
      param: (error.kind === "invalid" && problems?.[0]?.path) || null,
      code: error.code,
      ...upstreamDetails(error),
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
