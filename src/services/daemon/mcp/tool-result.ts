import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { AppError } from "../../../kit/app-error.ts";

/** Returns the answer as text. If the agent declares a schema, `data` is structured content. All other fields are in `_meta`. */
export function toolResult({ response, data, data_error, tool_calls: _, ...run }: RunResult): object {
  const structured = { data, ...(data_error === undefined ? {} : { data_error }) };
  return {
    content: [{ type: "text", text: response }],
    ...(data === undefined ? {} : { structuredContent: structured }),
    _meta: { "argosy/run": run },
  };
}

/** Describes a failure as text that starts with its code, because a client's model reads only the text. */
export function toolFailure({ code, message, details }: AppError): object {
  const { hint, problems = [], facts, retryAfterSeconds } = details;
  return {
    content: [{ type: "text", text: `${code}: ${message}${hint === undefined ? "" : ` ${hint}`}` }],
    isError: true,
    _meta: {
      "argosy/error": {
        ...facts,
        error: code,
        message,
        ...(hint === undefined ? {} : { hint }),
        ...(problems.length === 0 ? {} : { problems }),
        ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterSeconds) }),
      },
    },
  };
}
