import { eq } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { AuthDeps } from "./deps.ts";
import {
  type CountedAttempt,
  countAttempt,
  forgetFailures,
  noteAddress,
  type SignInAttempt,
  uncountAttempt,
} from "./sign-in-throttle.ts";

type UserRow = PlatformTables["users"]["$inferSelect"];

/** The account of a right password. */
export interface CheckedPassword {
  user: UserRow;
  /**
   * Removes the attempt from the count of failures, in the transaction of what the password is for. Throws 401 if the password was changed
   * since its check: a slow check must not open a session that the change would have ended.
   */
  settle(tx: Query): Promise<void>;
}

interface TypedPassword {
  password: string;
  signal: AbortSignal | undefined;
}

/**
 * Checks a password. An unknown account takes the same time as a wrong password. After many failures, an attempt waits for its turn first.
 * If the caller disconnects, the attempt gives up its turn. Returns undefined if the password is wrong.
 */
export async function checkPassword(
  deps: AuthDeps,
  attempt: SignInAttempt,
  typed: TypedPassword,
): Promise<CheckedPassword | undefined> {
  const { storage, clock } = deps;
  const { tables } = storage;
  // Counted before the check, so parallel guesses get no more tries than sequential ones.
  const counted = await countAttempt(deps, attempt);
  const uncount = (tx: Query) => uncountAttempt(tx, tables, counted);
  const user = await verifiedUser(deps, attempt.email, counted, typed).catch(async (thrown) => {
    await storage.transact(uncount);
    throw thrown;
  });
  if (user === undefined) return undefined;
  return {
    user,
    async settle(tx) {
      await requireSame(tx, tables, user);
      await uncount(tx);
      await forgetFailures(tx, tables, counted);
      await noteAddress(tx, tables, attempt, clock.now());
    },
  };
}

async function requireSame(tx: Query, { users }: PlatformTables, checked: UserRow): Promise<void> {
  const [user] = await tx
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, checked.id));
  if (user?.passwordHash !== checked.passwordHash) throw wrongCredentials();
}

export const wrongCredentials = () =>
  new AppError("unauthorized", "invalid_credentials", "E-mail or password is wrong.");

/** Checks the password of a signed-in person, under the limits of sign-ins. Throws 403 `wrong_password`. */
export async function checkOwnPassword(
  deps: AuthDeps,
  userId: string,
  sender: Omit<SignInAttempt, "email">,
  typed: TypedPassword,
): Promise<CheckedPassword> {
  const { read, tables } = deps.storage;
  const [user] = await read
    .select({ email: tables.users.email })
    .from(tables.users)
    .where(eq(tables.users.id, userId));
  const checked = user && (await checkPassword(deps, { ...sender, email: user.email }, typed));
  if (checked !== undefined) return checked;
  throw new AppError("forbidden", "wrong_password", "The current password is wrong.");
}

/** Waits for this attempt's turn and checks the password. Returns the account if it is right. */
async function verifiedUser(
  { storage, passwords, signInLanes }: AuthDeps,
  email: string,
  counted: CountedAttempt,
  { password, signal }: TypedPassword,
): Promise<UserRow | undefined> {
  for (const lane of counted.lanes) await signInLanes.turn(lane, signal, counted.from);
  const { users } = storage.tables;
  const [user] = await storage.read.select().from(users).where(eq(users.email, email));
  const { isKnown, address: owner } = counted;
  const isRight = await passwords.verify(password, user?.passwordHash, { isKnown, owner, signal });
  return isRight ? user : undefined;
}
