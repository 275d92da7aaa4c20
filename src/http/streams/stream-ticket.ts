import { randomBytes } from "node:crypto";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";

/** Lifetime of a ticket, as reported in its response. */
export const ticketSeconds = 30;

/** Tickets for WebSockets: browsers cannot set headers on them, so a page first fetches a ticket and puts it into the URL. */
export interface StreamTickets<Grant> {
  /** Issues a ticket for one opening of `resource`. It carries the caller and the caller's permissions. */
  issue(resource: string, grant: Grant): { ticket: string; expires_in: number };
  /**
   * Returns the grant of a ticket, which can be used only once, even if this fails. Throws AppError `unauthorized` if it is not valid here.
   */
  redeem(ticket: string, resource: string): Grant;
}

interface Issued<Grant> {
  resource: string;
  grant: Grant;
  expiresAtMs: number;
}

/** Keeps tickets in memory, at most `ticketsMax` at a time. */
export function createStreamTickets<Grant>(clock: Clock, ticketsMax = 10_000): StreamTickets<Grant> {
  // All have the same lifetime, so the order of issue is the order of expiry.
  const issued = new Map<string, Issued<Grant>>();

  function dropExpired(): void {
    const nowMs = clock.monotonicMs();
    for (const [ticket, { expiresAtMs }] of issued) {
      if (expiresAtMs > nowMs) return;
      issued.delete(ticket);
    }
  }

  return {
    issue(resource, grant) {
      dropExpired();
      if (issued.size >= ticketsMax) {
        throw new AppError("unavailable", "too_busy", "Too many stream tickets are waiting to be used.", {
          details: { retryAfterSeconds: ticketSeconds },
        });
      }
      const ticket = randomBytes(32).toString("base64url");
      issued.set(ticket, { resource, grant, expiresAtMs: clock.monotonicMs() + ticketSeconds * 1000 });
      return { ticket, expires_in: ticketSeconds };
    },
    redeem(ticket, resource) {
      dropExpired();
      const found = issued.get(ticket);
      issued.delete(ticket);
      if (found?.resource === resource) return found.grant;
      throw new AppError(
        "unauthorized",
        "unauthorized",
        "The stream ticket is unknown, used, expired or for something else.",
      );
    },
  };
}
