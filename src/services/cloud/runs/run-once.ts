import type { CloudFrame, CloudRunResult } from "../../../contracts/cloud/runs.ts";
import { runToEnd } from "../../../control-plane/runs/follow-run.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { BegunOrgRun } from "./begin-run.ts";
import { rateLimitHeaders, readDailyLimit } from "./daily-limit.ts";
import type { CloudRunDeps } from "./deps.ts";
import { performRun } from "./perform-run.ts";
import { errorFrame } from "./run-outcome.ts";

/** A run that a request waits for. */
export interface OnceCall {
  actor: OrgActor;
  request: Request;
  call: Call;
  /** Throws the refusal of a run that may not begin. */
  begin: () => Promise<BegunOrgRun>;
}

/** Runs an agent to its end. Disconnecting cancels the run. */
export async function runOnce(
  deps: CloudRunDeps,
  { request, call, begin }: OnceCall,
): Promise<CloudRunResult> {
  holdOpen(call, request);
  return runToEnd(performRun(deps, await begin(), [request.signal]));
}

/** Like `runOnce`, with server-sent events. A failure before the run begins has its own HTTP status; a later one is an `error` frame. */
export async function streamOnce(
  deps: CloudRunDeps,
  { actor, request, call, begin }: OnceCall,
): Promise<Response> {
  holdOpen(call, request);
  const run = await begin();
  const encode = (frame: CloudFrame) => encodeSse({ data: JSON.stringify(frame) });
  const response = eventStream({
    async *source(gone): AsyncGenerator<CloudFrame> {
      const result = yield* performRun(deps, run, [request.signal, gone]);
      yield { type: "done", ...result };
    },
    encode,
    encodeError: (error) => encode(errorFrame(error)),
    call,
    request,
    clock: deps.clock,
  });
  for (const [header, value] of Object.entries(
    rateLimitHeaders(run.admitted ?? (await readDailyLimit(deps, actor))),
  ))
    response.headers.set(header, value);
  return response;
}
