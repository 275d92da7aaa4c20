import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  VisitorAccepted,
  VisitorMessage,
  VisitorRated,
  VisitorRating,
  VisitorSession,
  VisitorThread,
} from "../../../contracts/gateway/webchat.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { callerOwner } from "../../../http/front-door/caller-address.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { rateAnswer } from "./rate-answer.ts";
import { type ChatReceivePorts, receiveMessage } from "./receive-message.ts";
import { presentToVisitor, readThread } from "./thread-store.ts";
import { type StreamPorts, streamThread } from "./thread-stream.ts";
import { findVisitor, siteDoor, visitorCredential } from "./visitor-door.ts";
import type { VisitorLimits } from "./visitor-limits.ts";
import { newVisitor, type VisitorTokens } from "./visitor-tokens.ts";

const tags = ["web chat"];

export interface VisitorPorts extends ChatReceivePorts, StreamPorts {
  tokens: VisitorTokens;
  limits: VisitorLimits;
}

const since = Type.Object({
  desde: Type.Optional(
    Type.String({
      description: "Only messages after this `at`. Without it, the newest 200 and what follows.",
    }),
  ),
});

/** Routes that the pages of an account's sites call for their visitors. */
export const visitorRoutes = (ports: VisitorPorts) => [sessionRoutes(ports), threadRoutes(ports)];

const prefix = "/webchat/:cuenta";

const sessionRoutes = (ports: VisitorPorts) =>
  new Elysia({ prefix })
    .use(siteDoor(ports))
    .options("/session", preflight, { detail: { hide: true } })
    .options("/messages", preflight, { detail: { hide: true } })
    .options("/ratings", preflight, { detail: { hide: true } })
    .options("/stream", preflight, { detail: { hide: true } })
    .post(
      "/session",
      async ({ site, request, call, set }) => {
        const known = await findVisitor(ports.tokens, site, request);
        if (known === undefined) ports.limits.takeVisitor(site.accountId, callerOwner(call, request));
        else ports.limits.takeRead(site.accountId, known);
        const visitor = known ?? newVisitor(ports.newId);
        const { token, expiresAt } = await ports.tokens.issue({ accountId: site.accountId, visitor });
        set.status = 201;
        set.headers["cache-control"] = "no-store";
        return { token, expires_at: expiresAt.toISOString() };
      },
      {
        response: { 201: VisitorSession },
        detail: {
          tags,
          operationId: "beginVisit",
          summary: "A token for a new visitor, or a new one for the visitor of the token that is sent",
          security: [{}, { visitorToken: [] }],
        },
      },
    );

async function preflight() {
  return new Response(null, { status: 204 });
}

const threadRoutes = (ports: VisitorPorts) =>
  new Elysia({ prefix })
    .use(siteDoor(ports))
    .derive(visitorCredential(ports.tokens))
    .post(
      "/messages",
      async ({ site, visitor, body, request, call, set }) => {
        ports.limits.takeMessage(site.accountId, visitor, callerOwner(call, request));
        const row = await receiveMessage(ports, site, { visitor, proof: "visitor-token" }, body);
        set.status = 202;
        return { encolado: true as const, mensaje: presentToVisitor(row) };
      },
      {
        ...jsonBody(VisitorMessage),
        response: { 202: VisitorAccepted },
        detail: { tags, operationId: "visitorSays", summary: "Sends a message of the visitor" },
      },
    )
    .post(
      "/ratings",
      async ({ site, visitor, body, request, call }) => {
        ports.limits.takeRating(site.accountId, visitor, callerOwner(call, request));
        const row = await rateAnswer(ports, site, { visitor, proof: "visitor-token" }, body);
        return { mensaje: presentToVisitor(row) };
      },
      {
        ...jsonBody(VisitorRating),
        response: VisitorRated,
        detail: {
          tags,
          operationId: "visitorRates",
          summary: "Rates an agent's answer in the visitor's thread, or withdraws the rating",
        },
      },
    )
    .get(
      "/messages",
      async ({ site: { tenantId, accountId }, visitor, query, set }) => {
        const desde = readInstant("desde", query.desde);
        ports.limits.takeRead(accountId, visitor);
        const rows = await readThread(ports.storage, { tenantId, accountId, visitor }, desde);
        set.headers["cache-control"] = "no-store";
        return { mensajes: rows.map(presentToVisitor) };
      },
      {
        query: since,
        response: VisitorThread,
        detail: {
          tags,
          operationId: "visitorReads",
          summary: "Messages of the visitor's thread, oldest first",
        },
      },
    )
    .get(
      "/stream",
      async ({ site: { tenantId, accountId }, visitor, query, request, call, set }) => {
        const desde = readInstant("desde", request.headers.get("last-event-id") ?? query.desde);
        const key = { tenantId, accountId, visitor };
        const response = streamThread(ports, key, desde, { request, call });
        for (const [name, value] of Object.entries(set.headers)) response.headers.set(name, String(value));
        return response;
      },
      {
        query: since,
        detail: {
          tags,
          operationId: "visitorListens",
          summary: "Messages of the visitor's thread as server-sent events",
          description:
            "Each event `message` has one message as JSON and its `at` as id; `Last-Event-ID` or `desde` resumes after one. The stream ends after an hour at most.",
          responses: {
            200: {
              description: "Success.",
              content: { "text/event-stream": { schema: { type: "string" } } },
            },
          },
        },
      },
    );
