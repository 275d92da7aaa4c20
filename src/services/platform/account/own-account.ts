import { and, eq, isNull } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { Person } from "../auth/find-actor.ts";
import type { PlatformTables } from "../tables.ts";

/** Returns an account that is not deleted. Throws 401, because its sessions have ended with it. */
export async function getAccount(query: ReadQuery, { users }: PlatformTables, userId: string) {
  const [user] = await query
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  if (user !== undefined) return user;
  throw new AppError("unauthorized", "unauthorized", "The account no longer exists.");
}

/** Throws 401 if the session ended while its request waited, for example for a password to be hashed. */
export async function requireSession(
  query: ReadQuery,
  { sessions }: PlatformTables,
  { sessionId }: Pick<Person, "sessionId">,
): Promise<void> {
  const [session] = await query
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), isNull(sessions.revokedAt)));
  if (session !== undefined) return;
  throw new AppError("unauthorized", "unauthorized", "Your session has ended. Sign in again.");
}
