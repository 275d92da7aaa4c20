import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type CloudFrame, CloudRunRequest, CloudRunResult } from "../../../contracts/cloud/runs.ts";
import { StreamTicket } from "../../../contracts/daemon/runs/stream-ticket.ts";
import { runToEnd } from "../../../control-plane/runs/follow-run.ts";
import { checkTicket, issueTicket, redeemTicket } from "../../../control-plane/sessions/stored-tickets.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { wantsEventStream } from "../../../http/streams/accept.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { isHandshake } from "../../../http/streams/web-socket-session.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import { orgSecurity, type Proof, proofOf } from "../access/credentials.ts";
import { missingAgent } from "../agents/former-names.ts";
import { type BegunRun, beginRun, type RunCall } from "./begin-run.ts";
import { rateLimitHeaders, readDailyLimit } from "./daily-limit.ts";
import type { RunDeps } from "./deps.ts";
import { performRun } from "./perform-run.ts";
import { type RunCaller, runCredential } from "./run-caller.ts";
import { errorFrame } from "./run-outcome.ts";
import { openStream } from "./stream-agent.ts";

const tags = ["runs"];

const StreamQuery = Type.Object({
  token: Type.Optional(Type.String({ maxLength: 2048, description: "An access token." })),
  ticket: Type.Optional(Type.String({ maxLength: 128, description: "A ticket, for browsers." })),
});

/** Routes that run an org's agents. */
export const runRoutes = (deps: RunDeps) => {
  const { streams } = deps;
  const resourceOf = (slug: string, name: string) => `${slug}/${name}`;
  const takeTicket = (request: Request) => (isHandshake(request) ? redeemTicket : checkTicket);
  return new Elysia({ prefix: "/api/v1/orgs/:slug/agents" })
    .use(jsonRoutes())
    .get(
      "/:name/stream",
      async ({ params: { slug, name }, query, request, call, set }) => {
        const proof =
          query.ticket === undefined
            ? proofOf(request.headers, call.peer, query.token)
            : await takeTicket(request)<Proof>(deps, query.ticket, resourceOf(slug, name));
        const streamCall = { proof, slug, agentName: name, request, call };
        await openStream(deps, streams, streamCall, set.headers);
      },
      {
        query: StreamQuery,
        detail: {
          tags,
          operationId: "streamAgent",
          summary: "Runs an agent once for each frame of a WebSocket",
          description:
            "The client sends `{query, session_id}`; the server answers with `token`, `tool_call`, `tool_result`, then `done` or `error`. Closing the socket cancels the run.",
          security: [...orgSecurity, { ticket: [] }],
          responses: { 101: { description: "The socket is open." } },
        },
      },
    )
    .use(runCredential(deps))
    .post(
      "/:name/stream-ticket",
      async ({ actor, runnable, params: { slug, name } }) => {
        const { org, proof } = actor;
        if (runnable === undefined)
          throw await missingAgent(deps.storage.read, deps.storage.tables, actor.org.id, name);
        return issueTicket(deps, { owner: org.id, resource: resourceOf(slug, name), grant: proof });
      },
      {
        response: StreamTicket,
        detail: { tags, operationId: "issueStreamTicket", summary: "A ticket for one opening of the stream" },
      },
    )
    .post(
      "/:name/run",
      async ({ actor, runnable, params, body, request, call, set }) => {
        const once = { actor, runnable, name: params.name, body, request, call, isCounted: true };
        // Elysia sends a Response unchanged, but its types don't allow an async handler to return one or a result.
        if (wantsEventStream(request.headers)) return (await streamOnce(deps, once, set.headers)) as never;
        return runOnce(deps, once, set.headers);
      },
      {
        ...jsonBody(CloudRunRequest),
        response: CloudRunResult,
        detail: {
          tags,
          operationId: "runAgent",
          summary: "Runs an agent; counts toward the daily limit",
          description:
            "With `Accept: text/event-stream`, the response is a stream of the same frames as the WebSocket's.",
        },
      },
    )
    .post(
      "/:name/test",
      async ({ actor, runnable, params, body, request, call, set }) => {
        const once = { actor, runnable, name: params.name, body, request, call, isCounted: false };
        return runOnce(deps, once, set.headers);
      },
      {
        ...jsonBody(CloudRunRequest),
        response: CloudRunResult,
        detail: { tags, operationId: "testAgent", summary: "Runs an agent without counting it" },
      },
    );
};

interface OnceCall extends RunCaller {
  name: string;
  body: CloudRunRequest;
  request: Request;
  call: Call;
  isCounted: boolean;
}

/** Runs an agent to its end. Disconnecting cancels the run. `headers` get the limit's state, for failures as well. */
async function runOnce(
  deps: RunDeps,
  { actor, runnable, name, body, request, call, isCounted }: OnceCall,
  headers: Record<string, unknown>,
): Promise<CloudRunResult> {
  holdOpen(call, request);
  const begun = { actor, runnable, agentName: name, request: body, isCounted, isStreamed: false };
  return runToEnd(performRun(deps, await beginTold(deps, begun, headers), [request.signal]));
}

/** Like `runOnce`, with server-sent events. A failure before the run begins has its own HTTP status; a later one is an `error` frame. */
async function streamOnce(
  deps: RunDeps,
  { actor, runnable, name, body, request, call, isCounted }: OnceCall,
  headers: Record<string, unknown>,
): Promise<Response> {
  holdOpen(call, request);
  const begun = { actor, runnable, agentName: name, request: body, isCounted, isStreamed: true };
  const run = await beginTold(deps, begun, headers);
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

/** Begins a run, and puts the limit's state into `headers`, also if the run is refused. */
async function beginTold(deps: RunDeps, call: RunCall, headers: Record<string, unknown>): Promise<BegunRun> {
  // A refused run and a test have not been counted.
  const tell = async () => Object.assign(headers, rateLimitHeaders(await readDailyLimit(deps, call.actor)));
  if (!call.isCounted) await tell();
  const run = await beginRun(deps, call).catch(async (thrown) => {
    if (call.isCounted) await tell();
    throw thrown;
  });
  if (run.admitted !== undefined) Object.assign(headers, rateLimitHeaders(run.admitted));
  return run;
}
