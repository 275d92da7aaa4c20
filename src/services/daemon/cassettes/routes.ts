import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import {
  CassetteDeleted,
  CassetteList,
  ReplayAnswer,
  ReplayGivenRequest,
  ReplayRequest,
} from "../../../contracts/daemon/cassettes/cassettes.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { senderIn } from "../manifests/read-sent.ts";
import { operatorTenant } from "../operator-tenant.ts";
import {
  cassetteNotFound,
  type ReplayCaller,
  type ReplayDeps,
  replayGiven,
  replayKept,
} from "./replay-cassette.ts";

/** Limit for a cassette and its options in a request. The command line replays larger ones. */
const givenBytesMax = 8 * 1024 * 1024 + 64 * 1024;

const CassetteListQuery = Type.Object({
  agent: Type.Optional(Type.String({ maxLength: 63, description: "Returns only recordings of this agent." })),
  trace_id: Type.Optional(
    Type.String({ maxLength: 64, description: "Returns only the recording of this run, if it exists." }),
  ),
  limit: pageLimit({ default: 20, max: 100 }),
});

const detail = (operationId: string, summary: string, description?: string) => ({
  tags: ["cassettes"],
  operationId,
  summary,
  ...(description === undefined ? {} : { description }),
});

export const cassetteRoutes = (deps: ReplayDeps) => new Elysia().use(keptRoutes(deps)).use(givenRoutes(deps));

const playing =
  "Without `from` and `model`, the replay sends no external requests, and the response shows whether the run still behaves the same. With `from` or `model`, the run continues live from that point, and the response contains the outcome. Only the owner can continue live with the models and tools of the owner's agents. Other callers must set `model`.";

const callerOf = ({ signal }: Request, call: Call): ReplayCaller => ({
  tenant: operatorTenant,
  sender: senderIn(call),
  signal,
});

/** The body limit is larger here, because the request contains a cassette. */
const givenRoutes = (deps: ReplayDeps) =>
  new Elysia().use(jsonRoutes(givenBytesMax)).post(
    "/v1/cassettes/replay",
    async ({ body, request, call }) => {
      holdOpen(call, request);
      return replayGiven(deps, body, callerOf(request, call));
    },
    {
      ...jsonBody(ReplayGivenRequest),
      response: ReplayAnswer,
      detail: detail("replayGivenCassette", "Plays a recorded run that is not kept here", playing),
    },
  );

const keptRoutes = (deps: ReplayDeps) =>
  new Elysia({ prefix: "/v1/cassettes" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ query: { agent, trace_id: traceId, limit } }) => ({
        cassettes: await deps.cassettes.folder.list(operatorTenant, {
          ...(agent === undefined ? {} : { agent }),
          ...(traceId === undefined ? {} : { traceId }),
          limit,
        }),
      }),
      {
        query: CassetteListQuery,
        response: CassetteList,
        detail: detail("listCassettes", "Recorded runs, newest first"),
      },
    )
    .get(
      "/:id",
      async ({ params }) => {
        const path = await deps.cassettes.folder.find(operatorTenant, params.id);
        if (path === undefined) throw cassetteNotFound();
        // Elysia sends a Response unchanged, but its types don't allow an async handler to return one.
        return new Response(Bun.file(path), { headers: { "content-type": "application/json" } }) as never;
      },
      { response: Cassette, detail: detail("getCassette", "One recorded run: the file itself") },
    )
    .delete(
      "/:id",
      async ({ params }) => {
        if (!(await deps.cassettes.folder.remove(operatorTenant, params.id))) throw cassetteNotFound();
        return { status: "deleted" as const, id: params.id };
      },
      { response: CassetteDeleted, detail: detail("deleteCassette", "Removes a recorded run") },
    )
    .post(
      "/:id/replay",
      async ({ params, body, request, call }) => {
        holdOpen(call, request);
        return replayKept(deps, params.id, body, callerOf(request, call));
      },
      {
        ...jsonBody(ReplayRequest),
        response: ReplayAnswer,
        detail: detail("replayCassette", "Plays a recorded run again", playing),
      },
    );
