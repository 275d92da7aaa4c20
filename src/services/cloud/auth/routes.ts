import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  CloudRefresh,
  CloudTokens,
  DevLogin,
  GithubSignIn,
  GoogleSignIn,
  SignInStart,
  SignInStarted,
} from "../../../contracts/cloud/auth.ts";
import { endSession, exchangeRefresh } from "../../../control-plane/sessions/refresh-tokens.ts";
import { sessionSource } from "../../../control-plane/sessions/session-source.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { personCredential } from "../access/credentials.ts";
import type { CloudAuthDeps } from "./deps.ts";
import { devLogin } from "./dev-login.ts";
import { githubPerson } from "./github-sign-in.ts";
import { googlePerson, SigningKeys } from "./google-sign-in.ts";
import { openAccount, tokensOf } from "./open-account.ts";
import { startSignIn } from "./sign-in-states.ts";

const tags = ["auth"];
const prefix = "/api/v1/auth";

/** Routes by which people sign in. */
export const authRoutes = (deps: CloudAuthDeps) => {
  const { google, github } = deps.signIn;
  const keys = google && new SigningKeys(deps, google.jwksUrl);
  return new Elysia({ prefix })
    .use(jsonRoutes())
    .post("/dev/login", async ({ body, call, request }) => devLogin(deps, body, { call, request }), {
      ...jsonBody(DevLogin),
      response: CloudTokens,
      detail: {
        tags,
        operationId: "devLogin",
        summary: "Signs in under any e-mail address, for development",
      },
    })
    .post(
      "/google",
      async ({ body, call, request }) => {
        if (google === undefined || keys === undefined) throw stub("Google");
        const person = await googlePerson(deps, keys, google, body);
        return openAccount(deps, person, sessionSource(call, request));
      },
      {
        ...jsonBody(GoogleSignIn),
        response: CloudTokens,
        detail: {
          tags,
          operationId: "signInWithGoogle",
          summary: "Signs in with an ID token or code of Google",
        },
      },
    )
    .post(
      "/google/start",
      async ({ body }) => {
        if (google === undefined) throw stub("Google");
        const page = {
          ...google,
          source: "google" as const,
          scope: "openid email profile",
          sendsNonce: true,
        };
        return startSignIn(deps, page, body.redirect_uri);
      },
      {
        ...jsonBody(SignInStart),
        response: SignInStarted,
        detail: { tags, operationId: "startGoogle", summary: "Begins a sign-in on Google's page" },
      },
    )
    .post(
      "/github",
      async ({ body, call, request }) => {
        if (github === undefined) throw stub("GitHub");
        return openAccount(deps, await githubPerson(deps, github, body), sessionSource(call, request));
      },
      {
        ...jsonBody(GithubSignIn),
        response: CloudTokens,
        detail: { tags, operationId: "signInWithGithub", summary: "Signs in with a code of GitHub" },
      },
    )
    .post(
      "/github/start",
      async ({ body }) => {
        if (github === undefined) throw stub("GitHub");
        const page = { ...github, source: "github" as const, scope: "read:user user:email" };
        return startSignIn(deps, page, body.redirect_uri);
      },
      {
        ...jsonBody(SignInStart),
        response: SignInStarted,
        detail: { tags, operationId: "startGithub", summary: "Begins a sign-in on GitHub's page" },
      },
    )
    .post("/refresh", async ({ body }) => tokensOf(deps, await exchangeRefresh(deps, body.refresh_token)), {
      ...jsonBody(CloudRefresh),
      response: CloudTokens,
      detail: { tags, operationId: "refresh", summary: "Exchanges a refresh token for the next tokens" },
    });
};

/** The route that ends a session. */
export const logoutRoutes = (deps: CloudAuthDeps) =>
  new Elysia({ prefix })
    .use(jsonRoutes())
    .use(personCredential(deps))
    .post(
      "/logout",
      async ({ person, set }) => {
        await endSession(deps, person.sessionId);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "logout", summary: "Ends the session: its tokens stop working at once" },
      },
    );

const stub = (name: string) =>
  new AppError(
    "not_implemented",
    "not_implemented",
    `Sign-in with ${name} is not configured on this server.`,
  );
