import { randomBytes } from "node:crypto";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";

/** Lifetime of a ticket, as reported in its response. */
export const ticketSeconds = 30;

/** A caller among many, and the size of what its ticket carries. */
export interface TicketHolder {
  owner: string;
  /** Characters of the grant. */
  length: number;
}

/** Tickets for WebSockets: browsers cannot set headers on them, so a page first fetches a ticket and puts it into the URL. */
export interface StreamTickets<Grant> {
  /**
   * Issues a ticket for one opening of `resource`. It carries the caller and the caller's permissions. Throws AppError `too_busy` if too many
   * wait to be used, of this owner or of all.
   */
  issue(resource: string, grant: Grant, holder?: TicketHolder): { ticket: string; expires_in: number };
  /**
   * Returns the grant of a ticket, which can be used only once, even if this fails. Throws AppError `unauthorized` if it is not valid here.
   */
  redeem(ticket: string, resource: string): Grant;
  /** Returns the grant of a ticket without using it up, for a request that opens nothing. Throws like `redeem`. */
  check(ticket: string, resource: string): Grant;
}

interface Issued<Grant> {
  resource: string;
  grant: Grant;
  holder: TicketHolder | undefined;
  expiresAtMs: number;
}

interface Amount {
  tickets: number;
  characters: number;
}

interface TicketLimits {
  all: Amount;
  /** Of one owner, so that none can take the room of the others. */
  own: Amount;
}

const mebi = 1024 * 1024;
const limitsDefault: TicketLimits = {
  all: { tickets: 10_000, characters: 64 * mebi },
  own: { tickets: 500, characters: 4 * mebi },
};

/** Keeps a bounded number of tickets in memory. */
export function createStreamTickets<Grant>(
  clock: Clock,
  limits: TicketLimits = limitsDefault,
): StreamTickets<Grant> {
  // All have the same lifetime, so the order of issue is the order of expiry.
  const issued = new Map<string, Issued<Grant>>();
  const all: Amount = { tickets: 0, characters: 0 };
  const owned = new Map<string, Amount>();

  function count(holder: TicketHolder | undefined, tickets: 1 | -1): void {
    const { owner, length = 0 } = holder ?? {};
    add(all, tickets, length);
    if (owner === undefined) return;
    const own = owned.get(owner) ?? { tickets: 0, characters: 0 };
    add(own, tickets, length);
    if (own.tickets > 0) owned.set(owner, own);
    else owned.delete(owner);
  }

  function drop(ticket: string, { holder }: Issued<Grant>): void {
    if (issued.delete(ticket)) count(holder, -1);
  }

  function dropExpired(): void {
    const nowMs = clock.monotonicMs();
    for (const [ticket, one] of issued) {
      if (one.expiresAtMs > nowMs) return;
      drop(ticket, one);
    }
  }

  function granted(found: Issued<Grant> | undefined, resource: string): Grant {
    if (found?.resource === resource) return found.grant;
    throw new AppError(
      "unauthorized",
      "unauthorized",
      "The stream ticket is unknown, used, expired or for something else.",
    );
  }

  return {
    issue(resource, grant, holder) {
      dropExpired();
      const own = holder && owned.get(holder.owner);
      if (isFull(all, limits.all, holder) || (own !== undefined && isFull(own, limits.own, holder))) {
        throw new AppError("unavailable", "too_busy", "Too many stream tickets are waiting to be used.", {
          details: { retryAfterSeconds: ticketSeconds },
        });
      }
      const ticket = randomBytes(32).toString("base64url");
      const expiresAtMs = clock.monotonicMs() + ticketSeconds * 1000;
      issued.set(ticket, { resource, grant, holder, expiresAtMs });
      count(holder, 1);
      return { ticket, expires_in: ticketSeconds };
    },
    redeem(ticket, resource) {
      dropExpired();
      const found = issued.get(ticket);
      if (found !== undefined) drop(ticket, found);
      return granted(found, resource);
    },
    check(ticket, resource) {
      dropExpired();
      return granted(issued.get(ticket), resource);
    },
  };
}

function add(amount: Amount, tickets: 1 | -1, length: number): void {
  amount.tickets += tickets;
  amount.characters += tickets * length;
}

const isFull = ({ tickets, characters }: Amount, most: Amount, holder: TicketHolder | undefined): boolean =>
  tickets >= most.tickets || characters + (holder?.length ?? 0) > most.characters;
