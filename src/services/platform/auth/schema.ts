import { sessionTables } from "../../../control-plane/sessions/session-tables.ts";
import { ticketTables } from "../../../control-plane/sessions/stored-tickets.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

export type UserRole = "user" | "operator";

export type LinkPurpose = "password" | "email";

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
        /** When an operator set the password, which the person must change before anything else; null for one of their own. */
        passwordExpiredAt: instant("password_expired_at"),
        /** A deleted account keeps its row, without name and address, for what names its id. */
        deletedAt: instant("deleted_at"),
      },
      (user) => [unique("users_email").on(user.email)],
    ),
    ...sessionTables(columns),
    ...ticketTables(columns),
    /** Links by which a person sets a password or confirms a new e-mail address, at most one of each kind. */
    accountLinks: table(
      "account_links",
      {
        userId: id("user_id").notNull(),
        purpose: text("purpose").$type<LinkPurpose>().notNull(),
        /** The new e-mail address, in lower case; null for a password. */
        email: text("email"),
        /** SHA-256 of the token; null while no operator has issued the link. */
        tokenHash: id("token_hash"),
        requestedAt: instant("requested_at").notNull(),
        expiresAt: instant("expires_at").notNull(),
      },
      (link) => [
        primaryKey({ columns: [link.userId, link.purpose] }),
        unique("account_links_token").on(link.tokenHash),
        index("account_links_age").on(link.expiresAt),
      ],
    ),
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
