import { eq } from "drizzle-orm";
import type { SignedIn, SignIn } from "../../../contracts/platform/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformDeps } from "../deps.ts";
import { readEmail } from "./email.ts";
import { countAttempt, forgetFailures, uncountAttempt } from "./sign-in-throttle.ts";
import { openSession, pairOf } from "./token-pair.ts";

/** Signs a person in; an unknown account is refused as a wrong password is, in the same time. */
export async function signIn(deps: PlatformDeps, input: SignIn, address: string): Promise<SignedIn> {
  const { storage, passwords } = deps;
  const { users } = storage.tables;
  const attempt = { email: readEmail(input.email), address };
  // Counted before it is tried: of many guesses at once no more are tried than one after the other.
  const counted = await countAttempt(deps, attempt);
  const [user] = await storage.read.select().from(users).where(eq(users.email, attempt.email));
  const uncount = (tx: Query) => uncountAttempt(tx, storage.tables, counted);
  const isRight = await passwords.verify(input.password, user?.passwordHash).catch(async (thrown) => {
    await storage.transact(uncount);
    throw thrown;
  });
  if (!isRight || user === undefined) {
    throw new AppError("unauthorized", "invalid_credentials", "E-mail or password is wrong.");
  }
  const opened = await storage.transact(async (tx) => {
    await uncount(tx);
    await forgetFailures(tx, storage.tables, counted);
    return openSession(deps, tx, user.id);
  });
  const pair = await pairOf(deps, opened);
  return { ...pair, user: { id: user.id, email: user.email, displayName: user.displayName } };
}
