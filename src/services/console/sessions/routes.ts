import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ConsoleLink,
  ConsoleState,
  SessionBegun,
  SessionRequest,
  VendorPage,
  VendorRequest,
} from "../../../contracts/console/session.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import type { Call } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { grantsFor } from "./begin-session.ts";
import { cloudFor } from "./cloud-door.ts";
import { consoleState } from "./console-state.ts";
import type { Grants } from "./grants.ts";
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
          await findSession(deps.sessions, request),
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
        const cookies: string[] = [];
        const grants = await grantsFor(deps, home, body, received, call, (cookie) => cookies.push(cookie));
        const before = await findSession(deps.sessions, request);
        // The browser gets a new id and key whenever its permissions change.
        if (before !== undefined) await deps.sessions.close(before);
        const { session, id, key } = await deps.sessions.open({ ...before?.grants, ...grants });
        if (before !== undefined) await signOut(deps, before, received, tokens, grants);
        call.log.info("console.signed_in", { by: Object.keys(grants) });
        set.status = 201;
        set.headers["set-cookie"] = [setCookie(request, id), ...cookies] as unknown as string;
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
        const session = await findSession(deps.sessions, request);
        if (session === undefined) throw sessionNeeded();
        await deps.sessions.close(session);
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
      "/cloud-sign-in",
      async ({ request, call, body }) => {
        requireOwnPage(request);
        const cloud = cloudFor(deps, receivedBy(call, request));
        const start = body.vendor === "google" ? cloud.startGoogle : cloud.startGithub;
        const { authorization_url: url, state } = await start({ redirect_uri: returnUrl(request) });
        return { url, state };
      },
      {
        ...jsonBody(VendorRequest),
        response: VendorPage,
        detail: { tags, operationId: "startVendorSignIn", summary: "Begins a sign-in on a vendor's page" },
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

/** The page that a vendor returns to, on the listener of the request. `requireOwnPage` has checked the origin. */
function returnUrl(request: Request): string {
  const origin = request.headers.get("origin") ?? new URL(request.url).origin;
  return `${origin}/cloud/sign-in`;
}

/**
 * Ends the session of people at their services, of those that `replaced` has anew or of all. If one has already ended there, it still ends
 * here.
 */
async function signOut(
  deps: ConsoleDeps,
  session: ConsoleSession,
  received: Received,
  tokens: PersonTokens,
  replaced: Pick<Grants, "person" | "member"> = session.grants,
): Promise<void> {
  const doors = { person: platformFor, member: cloudFor };
  for (const kind of ["person", "member"] as const) {
    if (replaced[kind] === undefined) continue;
    try {
      const token = await tokens.find(session, received, kind);
      if (token !== undefined) await doors[kind](deps, received, token).logout();
    } catch (thrown) {
      deps.log.warn("console.sign_out_failed", { err: thrown });
    }
  }
}
