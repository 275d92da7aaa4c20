import { sessionTables } from "../../../control-plane/sessions/session-tables.ts";
import { ticketTables } from "../../../control-plane/sessions/stored-tickets.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

export type UserRole = "user" | "operator";

/** Tables for people, their sessions, tickets for streams, and limits on password guessing. */
export const authTables = (columns: Columns) => {
  const { table, id, text, instant, integer, index, unique, primaryKey } = columns;
  return {
    users: table(
      "users",
      {
        id: id("id").primaryKey(),
        /** In lower case. */
        email: text("email").notNull(),
        displayName: text("display_name").notNull(),
        /** argon2id, with its parameters and salt. */
        passwordHash: text("password_hash").notNull(),
        role: text("role").$type<UserRole>().notNull(),
        createdAt: instant("created_at").notNull(),
      },
      (user) => [unique("users_email").on(user.email)],
    ),
    ...sessionTables(columns),
    ...ticketTables(columns),
    invitations: table("invitations", {
      email: id("email").primaryKey(),
      invitedAt: instant("invited_at").notNull(),
    }),
    /** Addresses that accounts were used from. Guesses by others don't slow down sign-ins from there. */
    knownAddresses: table(
      "known_addresses",
      {
        /** `pair:` and the hash of the e-mail and the address. */
        pair: id("pair").primaryKey(),
        usedAt: instant("used_at").notNull(),
      },
      (known) => [index("known_addresses_age").on(known.usedAt)],
    ),
    /** Failed sign-ins for an account or from an address, by time window. */
    failedSignIns: table(
      "failed_sign_ins",
      {
        /** `account:` and the e-mail's hash, or `address:` and the caller's. */
        subject: id("subject").notNull(),
        windowStart: instant("window_start").notNull(),
        failures: integer("failures").notNull(),
      },
      (failed) => [primaryKey({ columns: [failed.subject, failed.windowStart] })],
    ),
  };
};

export type AuthTables = ReturnType<typeof authTables>;
