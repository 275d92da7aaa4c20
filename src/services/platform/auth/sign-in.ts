import { eq } from "drizzle-orm";
import type { SignedIn, SignIn } from "../../../contracts/platform/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { PlatformDeps } from "../deps.ts";
import { readEmail } from "./email.ts";
import { noteFailedSignIn, noteSignIn, requireUnthrottled } from "./sign-in-throttle.ts";
import { openSession } from "./token-pair.ts";

/** Signs a person in; an unknown account is refused as a wrong password is, in the same time. */
export async function signIn(deps: PlatformDeps, input: SignIn, address: string): Promise<SignedIn> {
  const { storage, passwords } = deps;
  const { users } = storage.tables;
  const attempt = { email: readEmail(input.email), address };
  await requireUnthrottled(deps, attempt);
  const [user] = await storage.read.select().from(users).where(eq(users.email, attempt.email));
  if (!(await passwords.verify(input.password, user?.passwordHash)) || user === undefined) {
    await noteFailedSignIn(deps, attempt);
    throw new AppError("unauthorized", "invalid_credentials", "E-mail or password is wrong.");
  }
  await noteSignIn(deps, attempt);
  const pair = await storage.transact((tx) => openSession(deps, tx, user.id));
  return { ...pair, user: { id: user.id, email: user.email, displayName: user.displayName } };
}
