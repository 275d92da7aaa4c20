import type { RunRequest as RunBody } from "../../../contracts/daemon/runs/run.ts";
import { contextProblem, queryProblem, turnsProblem } from "../../../http/bodies/run-body.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { RunDeps } from "./admit-run.ts";
import type { AdmittedRequest, RequestKey } from "./run-router.ts";

export interface Caller {
  stream: boolean;
  /** True if the caller takes `tokens` events. */
  bundles?: boolean;
  signal: AbortSignal;
  requestId: string;
  /** The request's key. */
  key?: RequestKey | undefined;
  /** True if a run with the caller's session continues after a crash. */
  outlives?: boolean;
}

/** Creates the engine's request from a caller's body. Refuses reserved context keys and values that are too large. */
export function runInput(deps: RunDeps, body: RunBody, caller: Caller): AdmittedRequest {
  const context = body.context ?? {};
  const traceContent = body.trace_content ?? (deps.recordsContent ? true : undefined);
  const problem = queryProblem(body.query) ?? contextProblem(context) ?? turnsProblem(body.turns);
  if (problem !== undefined) throw invalidField(problem);
  const request: AdmittedRequest = {
    tenant: operatorTenant,
    sessionId: body.session_id ?? deps.newId(),
    query: body.query,
    context,
    stream: caller.stream,
    cancelledBy: [caller.signal, deps.stopping],
    requestId: caller.requestId,
  };
  if (caller.bundles) request.bundles = true;
  if (body.session_id === undefined) request.isNewSession = true;
  else if (caller.outlives) request.outlives = true;
  if (caller.key) request.key = caller.key;
  if (body.override) request.override = body.override;
  if (body.tool_stubs) request.toolStubs = body.tool_stubs;
  if (body.source) request.source = body.source;
  if (body.turns) request.turns = body.turns;
  if (body.remember) request.remember = body.remember;
  if (traceContent !== undefined) request.traceContent = traceContent;
  return request;
}

function invalidField(problem: Problem): AppError {
  const { path, message } = problem;
  return new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [problem] },
  });
}
