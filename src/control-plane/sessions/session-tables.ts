import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Columns } from "../../storage/tables/columns.ts";
import type { AuditTables } from "../audit/audit-table.ts";

/** Tables for the sessions of people, in every service where people sign in. */
export const sessionTables = ({ table, id, text, instant, index }: Columns) => ({
  /** A sign-in and all tokens refreshed from it. */
  sessions: table(
    "sessions",
    {
      id: id("id").primaryKey(),
      userId: id("user_id").notNull(),
      createdAt: instant("created_at").notNull(),
      revokedAt: instant("revoked_at"),
      /** The program and the address that signed in, for the person's own list; null for sessions of earlier versions. */
      client: text("client"),
      address: text("address"),
    },
    (session) => [index("sessions_user").on(session.userId)],
  ),
  refreshTokens: table(
    "refresh_tokens",
    {
      /** SHA-256 of the token. */
      hash: id("hash").primaryKey(),
      sessionId: id("session_id").notNull(),
      issuedAt: instant("issued_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      /** Time of its exchange for the next token, and the salt from which that token follows, together with this one. */
      rotatedAt: instant("rotated_at"),
      successor: id("successor"),
    },
    (token) => [
      index("refresh_tokens_session").on(token.sessionId),
      index("refresh_tokens_age").on(token.expiresAt),
    ],
  ),
});

export type SessionTables = ReturnType<typeof sessionTables>;

/** Dependencies of sessions. */
export interface SessionDeps {
  /** With the table of the people whom the sessions belong to. */
  storage: Storage<SessionTables & AuditTables & { users: PgTable & { id: AnyPgColumn } }>;
  clock: Clock;
  newId: NewId;
}
