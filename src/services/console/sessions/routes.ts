import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ConsoleLink,
  ConsoleState,
  SessionBegun,
  SessionRequest,
} from "../../../contracts/console/session.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import type { Call } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { grantsFor } from "./begin-session.ts";
import { consoleState } from "./console-state.ts";
import { requireOwnPage } from "./own-origin.ts";
import type { PersonTokens } from "./person-tokens.ts";
import { platformFor, type Received } from "./platform-door.ts";
import type { ConsoleSession } from "./session-book.ts";
import { findSession, sessionNeeded, setCookie } from "./session-cookie.ts";
import { issueLink } from "./session-links.ts";

const tags = ["console"];

/** Routes for sessions of the console's pages, and for the links that begin one. */
export const sessionRoutes = (deps: ConsoleDeps, home: string, tokens: PersonTokens) =>
  new Elysia({ prefix: "/console" })
    .use(jsonRoutes())
    .get(
      "/session",
      async ({ request, call, set }) => {
        requireOwnPage(request);
        set.headers["cache-control"] = "no-store";
        return consoleState(
          deps,
          home,
          receivedBy(call, request),
          findSession(deps.sessions, request),
          tokens,
        );
      },
      {
        response: ConsoleState,
        detail: { tags, operationId: "getConsoleState", summary: "Returns the signed-in session" },
      },
    )
    .post(
      "/session",
      async ({ request, call, body, set }) => {
        requireOwnPage(request);
        const received = receivedBy(call, request);
        const grants = await grantsFor(deps, home, body, received, call);
        const before = findSession(deps.sessions, request);
        // The browser gets a new id and key whenever its permissions change.
        if (before !== undefined) deps.sessions.close(before);
        const { session, id, key } = deps.sessions.open({ ...before?.grants, ...grants });
        if (before?.grants.person && grants.person) await signOut(deps, before, received, tokens);
        call.log.info("console.signed_in", { by: Object.keys(grants) });
        set.status = 201;
        set.headers["set-cookie"] = setCookie(request, id);
        set.headers["cache-control"] = "no-store";
        return { ...(await consoleState(deps, home, received, session, tokens)), key };
      },
      {
        ...jsonBody(SessionRequest),
        response: { 201: SessionBegun },
        detail: { tags, operationId: "beginSession", summary: "Starts a browser session" },
      },
    )
    .delete(
      "/session",
      async ({ request, call, set }) => {
        requireOwnPage(request);
        const session = findSession(deps.sessions, request);
        if (session === undefined) throw sessionNeeded();
        deps.sessions.close(session);
        await signOut(deps, session, receivedBy(call, request), tokens);
        set.status = 204;
        set.headers["set-cookie"] = setCookie(request, undefined);
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "endSession", summary: "Ends the browser session" },
      },
    )
    .post(
      "/links",
      async ({ call, set }) => {
        if (call.peer !== "control") throw new AppError("not_found", "not_found", "There is no such route.");
        set.status = 201;
        return issueLink(deps.links, deps.url());
      },
      {
        response: { 201: ConsoleLink },
        detail: { tags, operationId: "issueLink", summary: "Creates a one-time link to the console" },
      },
    );

const receivedBy = ({ peer, connection, retiring }: Call, request: Request): Received => ({
  request,
  origin: { peer, ...(connection && { connection }), ...(retiring && { retiring }) },
});

/** Ends the person's session at the platform. If it has already ended there, it still ends here. */
async function signOut(
  deps: ConsoleDeps,
  session: ConsoleSession,
  received: Received,
  tokens: PersonTokens,
): Promise<void> {
  try {
    const token = await tokens.find(session, received);
    if (token !== undefined) await platformFor(deps, received, token).logout();
  } catch (thrown) {
    deps.log.warn("console.sign_out_failed", { err: thrown });
  }
}
