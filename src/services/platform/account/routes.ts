import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  AccountLink,
  EmailChangeInput,
  EmailChangeList,
  EmailChangeRequested,
  EmailConfirmation,
  PasswordChange,
  PasswordLinkUse,
  PasswordReset,
  PasswordResetInput,
  SignedIn,
  User,
} from "../../../contracts/platform/auth.ts";
import { OwnSessionList } from "../../../contracts/sessions.ts";
import {
  endOtherSessions,
  endOwnSession,
  listSessions,
} from "../../../control-plane/sessions/own-sessions.ts";
import { sessionSource } from "../../../control-plane/sessions/session-source.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { callerAddress, claimedAddress } from "../../../http/front-door/caller-address.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { expiredCredential, operatorCredential, personCredential } from "../auth/credentials.ts";
import type { AuthDeps } from "../auth/deps.ts";
import { deviceCookie, deviceOf, newDevice } from "../auth/known-device.ts";
import type { LinkMailPorts } from "../notices/link-mail.ts";
import { limitPersonWrites } from "../tenants/management-limit.ts";
import { confirmEmail, issueEmailLink, listEmailChanges, requestEmail } from "./change-email.ts";
import { changePassword, type PasswordSender, useLink } from "./change-password.ts";
import { deleteAccount } from "./delete-account.ts";
import { issuePasswordLink, resetPassword } from "./reset-password.ts";

const tags = ["auth"];
const me = "/api/v1/me";

/** The route of a link with which a person without a session chooses a password. */
export const passwordLinkRoutes = (deps: AuthDeps) =>
  new Elysia().use(jsonRoutes()).post(
    "/auth/password",
    async ({ body, call, request, set }) => {
      // Hashing may wait in a queue.
      holdOpen(call, request);
      const device = deviceOf(request.headers) ?? newDevice();
      const sender = { ...senderOf(call, request), device };
      const signedIn = await useLink(deps, body, sender, sessionSource(call, request));
      set.headers["set-cookie"] = deviceCookie(device, request.url);
      return signedIn;
    },
    {
      ...jsonBody(PasswordLinkUse),
      response: SignedIn,
      detail: {
        tags,
        operationId: "usePasswordLink",
        summary: "Sets the password of a link's account, ends its sessions and signs in",
      },
    },
  );

/** The route that a person with a password of an operator's may use. */
export const ownPasswordRoutes = (deps: AuthDeps) =>
  new Elysia()
    .use(jsonRoutes())
    .use(expiredCredential(deps))
    .derive(limitPersonWrites(deps))
    .post(
      `${me}/password`,
      async ({ person, body, call, request, set }) => {
        holdOpen(call, request);
        await changePassword(deps, person, body, senderOf(call, request));
        set.status = 204;
      },
      {
        ...jsonBody(PasswordChange),
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "changePassword",
          summary: "Changes the person's password and ends their other sessions",
        },
      },
    );

/** Routes of a person for their own account. */
export const ownAccountRoutes = (deps: AuthDeps & LinkMailPorts) =>
  new Elysia({ prefix: me })
    .use(jsonRoutes())
    .use(personCredential(deps))
    .derive(limitPersonWrites(deps))
    .post(
      "/email",
      async ({ person, body, call, request, set }) => {
        holdOpen(call, request);
        const requested = await requestEmail(deps, person, body, senderOf(call, request));
        set.status = 202;
        return requested;
      },
      {
        ...jsonBody(EmailChangeInput),
        response: { 202: EmailChangeRequested },
        detail: {
          tags,
          operationId: "requestEmail",
          summary: "Asks for another e-mail address, which a link is sent to",
        },
      },
    )
    .post("/email/confirm", async ({ person, body }) => confirmEmail(deps, person, body.token), {
      ...jsonBody(EmailConfirmation),
      response: User,
      detail: {
        tags,
        operationId: "confirmEmail",
        summary: "Changes the e-mail address by the link's token",
      },
    })
    .get("/sessions", async ({ person }) => listSessions(deps, person), {
      response: OwnSessionList,
      detail: { tags, operationId: "listSessions", summary: "The person's sessions, the last used first" },
    })
    .delete(
      "/sessions",
      async ({ person, set }) => {
        await endOtherSessions(deps, person);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "endOtherSessions",
          summary: "Ends all sessions of the person but this one",
        },
      },
    )
    .delete(
      "/sessions/:session",
      async ({ person, params, set }) => {
        await endOwnSession(deps, person, params.session);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "endSession",
          summary: "Ends a session: its tokens stop working at once",
        },
      },
    )
    .delete(
      "",
      async ({ person, set }) => {
        await deleteAccount(deps, person);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "deleteAccount",
          summary: "Deletes the person's account; they leave their tenants",
        },
      },
    );

/** Operators' routes for people who can't sign in, and for changes of e-mail addresses. */
export const operatorAccountRoutes = (deps: AuthDeps & LinkMailPorts) =>
  new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .post(
      "/password-links",
      async ({ operator, body, call, request, set }) => {
        holdOpen(call, request);
        set.headers["cache-control"] = "no-store";
        const link = await issuePasswordLink(deps, operator, resetOf(body, call, request));
        set.status = 201;
        return link;
      },
      {
        ...jsonBody(PasswordResetInput),
        response: { 201: AccountLink },
        detail: {
          tags: ["operators"],
          operationId: "issuePasswordLink",
          summary: "Makes a link with which a person chooses a password, and ends their sessions",
          description:
            "The link works once, for 24 hours. The old password stops working at once. API keys keep working.",
        },
      },
    )
    .post(
      "/password-reset",
      async ({ operator, body, call, request, set }) => {
        holdOpen(call, request);
        set.headers["cache-control"] = "no-store";
        return resetPassword(deps, operator, resetOf(body, call, request));
      },
      {
        ...jsonBody(PasswordResetInput),
        response: PasswordReset,
        detail: {
          tags: ["operators"],
          operationId: "resetPassword",
          summary: "Gives a person a password that they must change, and ends their sessions",
          description:
            "The answer is the only place where the password is shown. The audit log records the reset without it. API keys keep working.",
        },
      },
    )
    .get("/email-changes", async () => listEmailChanges(deps), {
      response: EmailChangeList,
      detail: {
        tags: ["operators"],
        operationId: "listEmailChanges",
        summary: "Changes of e-mail addresses that people asked for, the oldest first",
      },
    })
    .post(
      "/email-changes/:user/link",
      async ({ operator, params, set }) => {
        set.headers["cache-control"] = "no-store";
        const link = await issueEmailLink(deps, operator, params.user);
        set.status = 201;
        return link;
      },
      {
        response: { 201: AccountLink },
        detail: {
          tags: ["operators"],
          operationId: "issueEmailLink",
          summary: "Makes the link that confirms a new e-mail address, to send there",
        },
      },
    );

const resetOf = ({ email }: PasswordResetInput, { requestId }: Call, { signal }: Request) => ({
  email,
  requestId,
  signal,
});

/** The sender of a password, by whom guesses are counted. */
const senderOf = (call: Call, request: Request): PasswordSender => ({
  address: callerAddress(call, request),
  claimed: claimedAddress(call, request),
  device: deviceOf(request.headers),
  signal: request.signal,
});
