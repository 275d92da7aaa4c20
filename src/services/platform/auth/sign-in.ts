import { eq } from "drizzle-orm";
import type { SignedIn, SignIn } from "../../../contracts/platform/auth.ts";
import { openSession } from "../../../control-plane/sessions/refresh-tokens.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import type { Query } from "../../../storage/storage.ts";
import type { AuthDeps } from "./deps.ts";
import {
  type CountedAttempt,
  countAttempt,
  forgetFailures,
  noteAddress,
  type SignInAttempt,
  uncountAttempt,
} from "./sign-in-throttle.ts";
import { pairOf } from "./token-pair.ts";

/**
 * Signs a person in. An unknown account gets the same error as a wrong password, after the same time. After many failures, an attempt waits
 * for its turn before the password is checked. If the caller disconnects, the attempt gives up its turn.
 */
export async function signIn(
  deps: AuthDeps,
  input: SignIn,
  address: string,
  signal?: AbortSignal,
  { claimed, device }: Pick<SignInAttempt, "claimed" | "device"> = {},
): Promise<SignedIn> {
  const { storage, clock } = deps;
  const attempt = { email: readEmail(input.email), address, claimed, device };
  // Counted before the check, so parallel guesses get no more tries than sequential ones.
  const counted = await countAttempt(deps, attempt);
  const uncount = (tx: Query) => uncountAttempt(tx, storage.tables, counted);
  const user = await verifiedUser(deps, attempt.email, { password: input.password, counted, signal }).catch(
    async (thrown) => {
      await storage.transact(uncount);
      throw thrown;
    },
  );
  if (user === undefined) {
    throw new AppError("unauthorized", "invalid_credentials", "E-mail or password is wrong.");
  }
  const opened = await storage.transact(async (tx) => {
    await uncount(tx);
    await forgetFailures(tx, storage.tables, counted);
    await noteAddress(tx, storage.tables, attempt, clock.now());
    return openSession(deps, tx, user.id);
  });
  const pair = await pairOf(deps, opened);
  return { ...pair, user: { id: user.id, email: user.email, displayName: user.displayName } };
}

/** Waits for this attempt's turn and checks the password. Returns the account if it is right. */
async function verifiedUser(
  { storage, passwords, signInLanes }: AuthDeps,
  email: string,
  {
    password,
    counted,
    signal,
  }: { password: string; counted: CountedAttempt; signal: AbortSignal | undefined },
) {
  for (const lane of counted.lanes) await signInLanes.turn(lane, signal, counted.from);
  const { users } = storage.tables;
  const [user] = await storage.read.select().from(users).where(eq(users.email, email));
  const { isKnown, address: owner } = counted;
  const isRight = await passwords.verify(password, user?.passwordHash, { isKnown, owner, signal });
  return isRight ? user : undefined;
}
