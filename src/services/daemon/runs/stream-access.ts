import type { Call } from "../../../http/call.ts";
import { createStreamTickets, type StreamTickets } from "../../../http/stream-ticket.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";

/** Tickets carry nothing: whoever could ask for one may use the agent. */
export type AgentTickets = StreamTickets<undefined>;

export const createAgentTickets = (clock: Clock): AgentTickets => createStreamTickets<undefined>(clock);

/** The path on which agents' WebSockets are opened; open to all, as a ticket may stand for the token. */
export const socketPath = "/v1/ws/agent/*";

/** Lets a caller open an agent's WebSocket who showed the API token, needs none, or has a ticket for this agent. */
export function requireStreamAccess(
  tickets: AgentTickets,
  name: string,
  ticket: string | undefined,
  call: Call,
): void {
  if (ticket !== undefined) tickets.redeem(ticket, name);
  else if (!call.trusted) {
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
}
