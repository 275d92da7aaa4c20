import { Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import {
  Refresh,
  Registration,
  SignedIn,
  SignIn,
  TokenPair,
  User,
} from "../../../contracts/platform/auth.ts";
import { endSession, exchangeRefresh } from "../../../control-plane/sessions/refresh-tokens.ts";
import { sessionSource } from "../../../control-plane/sessions/session-source.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { callerAddress, claimedAddress } from "../../../http/front-door/caller-address.ts";
import { isForwarded } from "../../../http/front-door/front-door.ts";
import { createHostRule } from "../../../http/front-door/host-rule.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { StoreDeps } from "../tables.ts";
import { expiredCredential, personCredential } from "./credentials.ts";
import type { AuthDeps } from "./deps.ts";
import { deviceCookie, deviceOf, newDevice } from "./known-device.ts";
import { register } from "./register.ts";
import { signIn } from "./sign-in.ts";
import { pairOf } from "./token-pair.ts";

const tags = ["auth"];

/** Routes for people's accounts and sessions. */
export const authRoutes = (deps: AuthDeps) =>
  new Elysia()
    .use(jsonRoutes())
    .post(
      "/auth/register",
      async ({ body, set, call, request }) => {
        set.status = 201;
        holdOpen(call, request);
        const device = deviceOf(request.headers) ?? newDevice();
        const signedIn = await register(deps, body, {
          address: callerAddress(call, request),
          device,
          source: sessionSource(call, request),
          isBeyond: isFromBeyond(call, request.headers),
          signal: request.signal,
        });
        set.headers["set-cookie"] = deviceCookie(device, request.url);
        return signedIn;
      },
      {
        ...jsonBody(Registration),
        response: { 201: SignedIn },
        detail: { tags, operationId: "register", summary: "Registers an account and signs in" },
      },
    )
    .post(
      "/auth/login",
      async ({ body, call, request, set }) => {
        // Attempts may wait in a queue.
        holdOpen(call, request);
        const device = deviceOf(request.headers) ?? newDevice();
        const claimed = claimedAddress(call, request);
        const address = callerAddress(call, request);
        const source = sessionSource(call, request);
        const signedIn = await signIn(deps, body, address, request.signal, { claimed, device, source });
        set.headers["set-cookie"] = deviceCookie(device, request.url);
        return signedIn;
      },
      {
        ...jsonBody(SignIn),
        response: SignedIn,
        detail: { tags, operationId: "signIn", summary: "Signs a person in" },
      },
    )
    .post("/auth/refresh", async ({ body }) => pairOf(deps, await exchangeRefresh(deps, body.refreshToken)), {
      ...jsonBody(Refresh),
      response: TokenPair,
      detail: { tags, operationId: "refresh", summary: "Exchanges a refresh token for a new token pair" },
    });

/** The route for the signed-in person. */
export const meRoutes = (deps: AuthDeps) =>
  new Elysia()
    .use(jsonRoutes())
    .use(personCredential(deps))
    .get("/api/v1/me", async ({ person }) => getUser(deps, person.userId), {
      response: User,
      detail: { tags, operationId: "getMe", summary: "Returns the signed-in person" },
    });

/** The route that ends a session, also that of a person whose password an operator set. */
export const signOutRoutes = (deps: AuthDeps) =>
  new Elysia()
    .use(jsonRoutes())
    .use(expiredCredential(deps))
    .post(
      "/auth/logout",
      async ({ person, set }) => {
        await endSession(deps, person.sessionId);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "signOut",
          summary: "Logs out: the session's tokens stop working immediately",
        },
      },
    );

async function getUser({ storage: { read, tables } }: StoreDeps, id: string): Promise<User> {
  const { users } = tables;
  const [user] = await read
    .select({ id: users.id, email: users.email, displayName: users.displayName })
    .from(users)
    .where(eq(users.id, id));
  if (user !== undefined) return user;
  throw new AppError("unauthorized", "unauthorized", "The account no longer exists.");
}

const isOwnHost = createHostRule([]);

/** Returns true if a request came from another machine: a proxy forwarded it, or its Host is not a local name. */
function isFromBeyond({ peer }: Call, headers: Headers): boolean {
  if (peer === "control") return false;
  return isForwarded(headers) || !isOwnHost(headers.get("host") ?? "localhost");
}
