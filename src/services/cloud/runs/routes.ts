import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { CloudRunRequest, CloudRunResult } from "../../../contracts/cloud/runs.ts";
import { StreamTicket } from "../../../contracts/daemon/runs/stream-ticket.ts";
import { checkTicket, issueTicket, redeemTicket } from "../../../control-plane/sessions/stored-tickets.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { wantsEventStream } from "../../../http/streams/accept.ts";
import { isHandshake } from "../../../http/streams/web-socket-session.ts";
import { orgSecurity, type Proof, proofOf } from "../access/credentials.ts";
import { missingAgent } from "../agents/former-names.ts";
import { type BegunOrgRun, beginRun, type OrgRunCall } from "./begin-run.ts";
import { rateLimitHeaders, readDailyLimit } from "./daily-limit.ts";
import type { CloudRunDeps } from "./deps.ts";
import { runCredential } from "./run-caller.ts";
import { runOnce, streamOnce } from "./run-once.ts";
import { openStream } from "./stream-agent.ts";

const tags = ["runs"];

const StreamQuery = Type.Object({
  token: Type.Optional(Type.String({ maxLength: 2048, description: "An access token." })),
  ticket: Type.Optional(Type.String({ maxLength: 128, description: "A ticket, for browsers." })),
});

/** Routes that run an org's agents. */
export const runRoutes = (deps: CloudRunDeps) => {
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
        const isStreamed = wantsEventStream(request.headers);
        const begun = { actor, runnable, agentName: params.name, request: body, isCounted: true, isStreamed };
        const once = { actor, request, call, begin: () => beginTold(deps, begun, set.headers) };
        // Elysia sends a Response unchanged, but its types don't allow an async handler to return one or a result.
        if (isStreamed) return (await streamOnce(deps, once)) as never;
        return runOnce(deps, once);
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
        const begun = { actor, runnable, agentName: params.name, request: body, isCounted: false };
        const begin = () => beginTold(deps, { ...begun, isStreamed: false }, set.headers);
        return runOnce(deps, { actor, request, call, begin });
      },
      {
        ...jsonBody(CloudRunRequest),
        response: CloudRunResult,
        detail: { tags, operationId: "testAgent", summary: "Runs an agent without counting it" },
      },
    );
};

/** Begins a run, and puts the limit's state into `headers`, also if the run is refused. */
async function beginTold(
  deps: CloudRunDeps,
  call: OrgRunCall,
  headers: Record<string, unknown>,
): Promise<BegunOrgRun> {
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
