import { and, eq, isNull } from "drizzle-orm";
import { endSessionsOf } from "../../../control-plane/sessions/own-sessions.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { dropLinks } from "./account-links.ts";

interface NewPassword {
  userId: string;
  passwordHash: string;
  /** True if the person didn't choose it, and must change it before anything else. */
  isExpired?: boolean;
  /** The session that goes on; all others end. */
  keptSession?: string;
}

/** Stores a new password. All other sessions of the person end, and links that were issued before no longer work. */
export async function setPassword(
  tx: Query,
  tables: PlatformTables,
  { userId, passwordHash, isExpired = false, keptSession }: NewPassword,
  now: Date,
): Promise<void> {
  const { users } = tables;
  await tx
    .update(users)
    .set({ passwordHash, passwordExpiredAt: isExpired ? now : null })
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  await endSessionsOf(tx, tables, userId, now, keptSession);
  await dropLinks(tx, tables, userId);
}
