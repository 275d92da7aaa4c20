import { sessionTables } from "../../../control-plane/sessions/session-tables.ts";
import { ticketTables } from "../../../control-plane/sessions/stored-tickets.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** A way to sign in. The e-mail address of a development login is not verified. */
export type SignInSource = "dev" | "google" | "github";

/** People, their sessions, sign-ins that wait for an identity provider, and tickets for streams. */
export const authTables = (columns: Columns) => {
  const { table, id, text, instant, index, unique, primaryKey } = columns;
  return {
    users: table(
      "users",
      {
        id: id("id").primaryKey(),
        /** In lower case. */
        email: text("email").notNull(),
        name: text("name").notNull(),
        /** The way by which the person first signed in. */
        source: text("source").$type<SignInSource>().notNull(),
        createdAt: instant("created_at").notNull(),
      },
      (user) => [unique("users_email").on(user.email)],
    ),
    /** Accounts of identity providers by their own ids, which stay the same when an e-mail address changes. */
    identities: table(
      "identities",
      {
        source: text("source").$type<SignInSource>().notNull(),
        subject: id("subject").notNull(),
        userId: id("user_id").notNull(),
        linkedAt: instant("linked_at").notNull(),
      },
      (identity) => [primaryKey({ columns: [identity.source, identity.subject] })],
    ),
    /** Sign-ins that began and whose browser has not come back yet, and ID tokens that were used. */
    signInStates: table(
      "sign_in_states",
      {
        /** SHA-256 of the state. */
        hash: id("hash").primaryKey(),
        source: text("source").$type<SignInSource>().notNull(),
        /** The PKCE verifier, sealed. */
        verifier: text("verifier").notNull(),
        redirectUri: text("redirect_uri").notNull(),
        expiresAt: instant("expires_at").notNull(),
      },
      (state) => [index("sign_in_states_age").on(state.expiresAt)],
    ),
    ...sessionTables(columns),
    ...ticketTables(columns),
  };
};
