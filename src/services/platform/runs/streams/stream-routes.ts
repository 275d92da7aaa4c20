import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Query, type Remember, SessionId } from "../../../../contracts/daemon/runs/run.ts";
import type { DeclaredSource } from "../../../../contracts/daemon/runs/run-source.ts";
import { StreamTicket } from "../../../../contracts/daemon/runs/stream-ticket.ts";
import { PlatformRunRequest } from "../../../../contracts/platform/runs/runs.ts";
import { checkTicket, issueTicket, redeemTicket } from "../../../../control-plane/sessions/stored-tickets.ts";
import { jsonBody } from "../../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import { isHandshake } from "../../../../http/streams/web-socket-session.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { getLiveAgent } from "../../agents/find-live-agent.ts";
import type { Registrations } from "../../agents/registrations.ts";
import {
  requireTenant,
  type TenantProof,
  tenantCredential,
  tenantHeader,
  tenantProofOf,
  tenantSecurity,
} from "../../auth/credentials.ts";
import type { TenantRunDeps } from "../deps.ts";
import { openRunSocket } from "./stream-run.ts";

/** Credential and query that a ticket was issued for. */
interface Grant {
  proof: TenantProof;
  query?: string;
  trace_content?: boolean;
  remember?: Remember;
  source?: DeclaredSource;
}

const TicketBody = Type.Object(
  {
    query: Type.Optional(Query("User message, if it must not appear in a URL.")),
    trace_content: PlatformRunRequest.properties.trace_content,
    remember: PlatformRunRequest.properties.remember,
    source: PlatformRunRequest.properties.source,
  },
  { additionalProperties: false },
);

const StreamQuery = Type.Object({
  query: Type.Optional(Query("User message.")),
  session_id: Type.Optional(SessionId),
  idempotency_key: Type.Optional(Type.String({ maxLength: 255 })),
  ticket: Type.Optional(Type.String({ maxLength: 128 })),
});

/** Routes that stream runs. */
export const streamRoutes = (deps: TenantRunDeps, registrations: Registrations) => {
  const tags = ["runs"];
  return new Elysia({ prefix: "/api/v1/agents" })
    .use(jsonRoutes())
    .get(
      "/:name/run/stream",
      async ({ params, query, request, call }) => {
        const {
          proof,
          query: granted,
          trace_content,
          remember,
          source,
        }: Grant = query.ticket === undefined
          ? { proof: tenantProofOf(request, "network") }
          : await grantOf(deps, query.ticket, { agentName: params.name, request });
        const { headers, peer } = proof;
        // A ticket ends with its credential, and with the role of its person.
        const tenant = await requireTenant(deps, { headers: new Headers(headers) }, peer, "runs");
        const asked = query.query ?? granted;
        if (asked === undefined) {
          throw new AppError("invalid", "invalid_request", "The request is not valid: query is required.", {
            details: { problems: [{ path: "query", message: "is required" }] },
          });
        }
        const runCall = {
          tenant,
          agentName: params.name,
          query: asked,
          ...(query.session_id === undefined ? {} : { session_id: query.session_id }),
          ...(trace_content === undefined ? {} : { trace_content }),
          ...(remember === undefined ? {} : { remember }),
          ...(source === undefined ? {} : { source }),
          idempotencyKey: query.idempotency_key,
          stream: true,
          cancelledBy: [],
        };
        await openRunSocket(deps, registrations, runCall, { request, call });
      },
      {
        query: StreamQuery,
        detail: {
          tags,
          operationId: "streamAgent",
          summary: "Runs an agent over a WebSocket",
          description:
            "Each socket serves one run. Frames are JSON texts with a `type`: `token`, `tool_call`, `tool_result`, `step`, `guardrail`, `approval_required`, then `done` or `error`. Closing the socket cancels the run, also with an `idempotency_key`. Browsers send a `ticket`; other clients may send credentials as headers.",
          security: [...tenantSecurity, { ticket: [] }],
          parameters: [tenantHeader],
          responses: { 101: { description: "Socket opened. The run starts." } },
        },
      },
    )
    .use(tenantCredential(deps, "runs"))
    .post(
      "/:name/stream-ticket",
      async ({ tenant, params, body, request, call }) => {
        await getLiveAgent(deps.storage, tenant.tenantId, params.name);
        const grant: Grant = { proof: tenantProofOf(request, call.peer), ...body };
        return issueTicket(deps, { owner: tenant.tenantId, resource: params.name, grant });
      },
      {
        ...jsonBody(TicketBody),
        response: StreamTicket,
        detail: {
          tags,
          operationId: "issueRunTicket",
          summary: "Creates a one-time ticket for the agent's stream, for browsers",
        },
      },
    );
};

/** Returns the grant of a ticket, which a handshake uses up. */
async function grantOf(
  deps: TenantRunDeps,
  ticket: string,
  { agentName, request }: { agentName: string; request: Request },
): Promise<Grant> {
  const take = isHandshake(request) ? redeemTicket<Grant> : checkTicket<Grant>;
  return take(deps, ticket, agentName);
}
