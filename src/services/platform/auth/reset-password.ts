import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { PasswordReset, PasswordResetInput } from "../../../contracts/platform/auth.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import { type Operator, operatorCredential } from "./credentials.ts";
import type { AuthDeps } from "./deps.ts";
import { endSessions } from "./operators.ts";

/** Operators' route that gives a person a new password. */
export const passwordResetRoutes = (deps: AuthDeps) =>
  new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .post(
      "/password-reset",
      async ({ operator, body, call, request, set }) => {
        // Hashing may wait in a queue.
        holdOpen(call, request);
        set.headers["cache-control"] = "no-store";
        return resetPassword(deps, operator, {
          email: body.email,
          requestId: call.requestId,
          signal: request.signal,
        });
      },
      {
        ...jsonBody(PasswordResetInput),
        response: PasswordReset,
        detail: {
          tags: ["operators"],
          operationId: "resetPassword",
          summary: "Gives a person a new password and ends their sessions",
          description:
            "The answer is the only place where the password is shown. The audit log records the reset without it. API keys keep working.",
        },
      },
    );

interface Reset {
  email: string;
  requestId: string;
  signal: AbortSignal;
}

/** Throws 404 `user_not_found`. */
async function resetPassword(
  { storage, clock, newId, passwords }: AuthDeps,
  { actor }: Operator,
  { email, requestId, signal }: Reset,
): Promise<PasswordReset> {
  const address = readEmail(email);
  const { read, tables } = storage;
  const { users } = tables;
  const [user] = await read.select({ id: users.id }).from(users).where(eq(users.email, address));
  if (user === undefined) {
    throw new AppError("not_found", "user_not_found", `There is no account with the e-mail ${address}.`, {
      details: { hint: "Check the address, or invite the person: `argosy platform invite <email>`." },
    });
  }
  const password = newPassword();
  // Hashed before the transaction, which waits only for the database.
  const passwordHash = await passwords.hash(password, { signal });
  const now = clock.now();
  await storage.transact(async (tx) => {
    await tx.update(users).set({ passwordHash }).where(eq(users.id, user.id));
    await endSessions(tx, tables, user.id, now);
    const entry = {
      ownerId: null,
      actor,
      action: "person.password_reset",
      subject: user.id,
      detail: { email: address },
    };
    await writeAudit({ storage, newId }, tx, now, { ...entry, requestId });
  });
  return { user_id: user.id, email: address, password };
}

/** 32 characters that nobody mistakes for one another. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";

/** Returns a random password of 100 bits, in four groups that are easy to read out. */
function newPassword(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(20))].map((byte) => alphabet[byte % 32]);
  return [0, 5, 10, 15].map((at) => letters.slice(at, at + 5).join("")).join("-");
}
