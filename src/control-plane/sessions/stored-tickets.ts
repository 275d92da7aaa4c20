import { randomBytes } from "node:crypto";
import { and, count, eq, gt, lte } from "drizzle-orm";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { credentialDigest } from "../../kit/credential-digest.ts";
import { createSealer, type SealContext } from "../../storage/sealing/seal.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Columns } from "../../storage/tables/columns.ts";

/*
 * Tickets for WebSockets that several processes of one database share: any of them accepts a ticket of another, and only one of them once.
 * A row has the digest of its ticket, and the grant sealed with a key derived from the ticket. So the database alone opens no stream and
 * shows no credential.
 */

/** Lifetime of a ticket, as reported in its response. */
const ticketSeconds = 30;

/** Tickets of one owner that may wait at a time, so that one tenant can't fill the table. */
const ticketsPerOwnerMax = 500;

/** Table of the tickets, in every service whose streams open with one. */
export const ticketTables = ({ table, id, text, instant, index }: Columns) => ({
  streamTickets: table(
    "stream_tickets",
    {
      /** SHA-256 of the ticket. */
      hash: id("hash").primaryKey(),
      /** The org or tenant. */
      owner: id("owner").notNull(),
      /** Resource and grant as JSON, sealed. */
      sealed: text("sealed").notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (ticket) => [
      index("stream_tickets_owner").on(ticket.owner, ticket.expiresAt),
      index("stream_tickets_age").on(ticket.expiresAt),
    ],
  ),
});

interface TicketDeps {
  clock: Clock;
  storage: Storage<ReturnType<typeof ticketTables>>;
}

/** Grant of a ticket, and its owner. */
export interface TicketGrant<Grant> {
  owner: string;
  resource: string;
  /** The caller and the caller's permissions, as JSON. */
  grant: Grant;
}

/** Issues a ticket for one opening of a resource. Throws AppError `too_busy` if too many tickets of the owner wait. */
export async function issueTicket<Grant>(
  { storage, clock }: TicketDeps,
  { owner, resource, grant }: TicketGrant<Grant>,
): Promise<{ ticket: string; expires_in: number }> {
  const { streamTickets } = storage.tables;
  const ticket = randomBytes(32).toString("base64url");
  const hash = credentialDigest(ticket);
  const sealed = sealerOf(ticket).seal(JSON.stringify({ resource, grant }), sealOf(owner, hash));
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + ticketSeconds * 1000);
  await storage.transact(
    async (tx) => {
      await tx.delete(streamTickets).where(lte(streamTickets.expiresAt, now));
      const [waiting] = await tx
        .select({ tickets: count() })
        .from(streamTickets)
        .where(eq(streamTickets.owner, owner));
      if ((waiting?.tickets ?? 0) >= ticketsPerOwnerMax) throw tooMany();
      await tx.insert(streamTickets).values({ hash, owner, sealed, expiresAt });
    },
    // Every statement stands alone, and the bound may be passed by the number of processes.
    { isolation: "read committed" },
  );
  return { ticket, expires_in: ticketSeconds };
}

/**
 * Returns the grant of a ticket, which can be used only once, even if this fails. Throws AppError `unauthorized` if it is not valid for the
 * resource.
 */
export async function redeemTicket<Grant>(
  { storage, clock }: TicketDeps,
  ticket: string,
  resource: string,
): Promise<Grant> {
  const { streamTickets } = storage.tables;
  const hash = credentialDigest(ticket);
  const isTicket = eq(streamTickets.hash, hash);
  const [ticketRow] = await storage.transact(
    (tx) =>
      tx
        .delete(streamTickets)
        .where(and(isTicket, gt(streamTickets.expiresAt, clock.now())))
        .returning({ owner: streamTickets.owner, sealed: streamTickets.sealed }),
    { isolation: "read committed" },
  );
  return grantOf(ticketRow, ticket, resource);
}

/** Returns the grant of a ticket without using it up, for a request that opens nothing. Throws like `redeemTicket`. */
export async function checkTicket<Grant>(
  { storage, clock }: TicketDeps,
  ticket: string,
  resource: string,
): Promise<Grant> {
  const { streamTickets } = storage.tables;
  const isTicket = eq(streamTickets.hash, credentialDigest(ticket));
  const [ticketRow] = await storage.read
    .select({ owner: streamTickets.owner, sealed: streamTickets.sealed })
    .from(streamTickets)
    .where(and(isTicket, gt(streamTickets.expiresAt, clock.now())));
  return grantOf(ticketRow, ticket, resource);
}

function grantOf<Grant>(
  ticketRow: { owner: string; sealed: string } | undefined,
  ticket: string,
  resource: string,
): Grant {
  if (ticketRow === undefined) throw notValid();
  const context = sealOf(ticketRow.owner, credentialDigest(ticket));
  const issued = JSON.parse(sealerOf(ticket).open(ticketRow.sealed, context));
  if (issued.resource !== resource) throw notValid();
  return issued.grant;
}

const sealerOf = (ticket: string) => createSealer([{ kid: "ticket", secret: Buffer.from(ticket) }]);

const sealOf = (tenant: string, name: string): SealContext => ({ purpose: "stream_ticket", tenant, name });

const notValid = () =>
  new AppError(
    "unauthorized",
    "unauthorized",
    "The stream ticket is unknown, used, expired or for something else.",
  );

const tooMany = () =>
  new AppError("unavailable", "too_busy", "Too many stream tickets are waiting to be used.", {
    details: { retryAfterSeconds: ticketSeconds },
  });
