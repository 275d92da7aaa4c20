import type { Call } from "../../../http/call.ts";
import { createStreamTickets, type StreamTickets } from "../../../http/stream-ticket.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Sender } from "../../../manifest/sender.ts";
import { senderIn } from "../manifests/read-sent.ts";

/** Tickets carry who asked for them, as the socket's own request doesn't show it. */
export type AgentTickets = StreamTickets<Sender>;

export const createAgentTickets = (clock: Clock): AgentTickets => createStreamTickets<Sender>(clock);

/** The path on which agents' WebSockets are opened; open to all, as a ticket may stand for the token. */
export const socketPath = "/v1/ws/agent/*";

/**
 * Lets a caller open an agent's WebSocket who showed the API token, needs none, or has a ticket for this agent; returns who sends on
 * it.
 */
export function requireStreamAccess(
  tickets: AgentTickets,
  name: string,
  ticket: string | undefined,
  call: Call,
): Sender {
  if (ticket !== undefined) return tickets.redeem(ticket, name);
  if (!call.trusted) {
    throw new AppError(
      "unauthorized",
      "unauthorized",
      "This WebSocket needs the API token or a stream ticket.",
      {
        details: {
          hint: `POST /v1/agents/${name}/stream-ticket with the token gives a ticket for ?ticket=….`,
        },
      },
    );
  }
  return senderIn(call);
}
