import type { RunRequest as RunBody } from "../../../contracts/daemon/runs/run.ts";
import { contextProblem, queryProblem } from "../../../http/bodies/run-body.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { RunDeps } from "./admit-run.ts";
import type { AdmittedRequest } from "./run-router.ts";

export interface Caller {
  stream: boolean;
  signal: AbortSignal;
  requestId: string;
}

/** Creates the engine's request from a caller's body. Refuses reserved context keys and values that are too large. */
export function runInput(deps: RunDeps, body: RunBody, caller: Caller): AdmittedRequest {
  const context = body.context ?? {};
  const traceContent = body.trace_content ?? (deps.recordsContent ? true : undefined);
  const problem = queryProblem(body.query) ?? contextProblem(context);
  if (problem !== undefined) throw invalidField(problem);
  return {
    tenant: operatorTenant,
    sessionId: body.session_id ?? deps.newId(),
    ...(body.session_id === undefined && { isNewSession: true }),
    query: body.query,
    context,
    ...(body.override && { override: body.override }),
    ...(body.tool_stubs && { toolStubs: body.tool_stubs }),
    ...(body.remember && { remember: body.remember }),
    ...(traceContent === undefined ? {} : { traceContent }),
    stream: caller.stream,
    cancelledBy: [caller.signal, deps.stopping],
    requestId: caller.requestId,
  };
}

function invalidField(problem: Problem): AppError {
  const { path, message } = problem;
  return new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [problem] },
  });
}
