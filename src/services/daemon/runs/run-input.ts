import type { RunRequest as RunBody } from "../../../contracts/daemon/run.ts";
import type { RunRequest } from "../../../engine/run-state/run-request.ts";
import { AppError } from "../../../kit/app-error.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { RunDeps } from "./admit-run.ts";

const queryBytesMax = 256 * 1024;
const contextBytesMax = 64 * 1024;

export interface Caller {
  stream: boolean;
  signal: AbortSignal;
  requestId: string;
}

/** Creates the engine's request from a caller's body. Refuses reserved context keys and values that are too large. */
export function runInput(deps: RunDeps, body: RunBody, caller: Caller): RunRequest {
  const context = body.context ?? {};
  const traceContent = body.trace_content ?? (deps.recordsContent ? true : undefined);
  requireSize("query", body.query, queryBytesMax);
  requirePublicContext(context);
  return {
    tenant: operatorTenant,
    sessionId: body.session_id ?? deps.newId(),
    query: body.query,
    context,
    ...(body.override && { override: body.override }),
    ...(traceContent === undefined ? {} : { traceContent }),
    stream: caller.stream,
    cancelledBy: [caller.signal, deps.stopping],
    requestId: caller.requestId,
  };
}

/** Keys that start with `_` are reserved for the platform. */
function requirePublicContext(context: Record<string, unknown>): void {
  const keys = Object.keys(context);
  if (keys.length === 0) return;
  const reserved = keys.find((key) => key.startsWith("_"));
  if (reserved !== undefined)
    throw invalidField(`context.${reserved}`, "is reserved: keys may not start with `_`");
  requireSize("context", JSON.stringify(context), contextBytesMax);
}

function requireSize(path: string, text: string, bytesMax: number): void {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return;
  throw invalidField(path, `must be at most ${bytesMax / 1024} KiB`);
}

function invalidField(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
