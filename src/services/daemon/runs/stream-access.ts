import type { Call } from "../../../http/call.ts";
import { createStreamTickets, type StreamTickets } from "../../../http/streams/stream-ticket.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import { senderIn } from "../manifests/read-sent.ts";

/** Tickets contain the sender that requested them, because the WebSocket's own request doesn't show it. */
export type AgentTickets = StreamTickets<Sender>;

export const createAgentTickets = (clock: Clock): AgentTickets => createStreamTickets<Sender>(clock);

/** Path of the agents' WebSockets. It needs no API token, because a ticket may replace the token. */
export const socketPath = "/v1/ws/agent/*";

/**
 * Allows a caller to open an agent's WebSocket with the API token, if the daemon needs none, or with a ticket for this agent. Returns the
 * sender of its queries.
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
