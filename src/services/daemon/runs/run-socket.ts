import { Value } from "@sinclair/typebox/value";
import { RunRequest } from "../../../contracts/daemon/runs/run.ts";
import { checkTicket, issueTicket, redeemTicket } from "../../../control-plane/sessions/stored-tickets.ts";
import type { Call, SocketHandler } from "../../../http/call.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { createWebSocketSession, isHandshake } from "../../../http/streams/web-socket-session.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import { senderIn } from "../manifests/read-sent.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { admitRun, type RunDeps } from "./admit-run.ts";
import { locateAgent } from "./locate-agent.ts";
import { runInput } from "./run-input.ts";
import { errorFrame, frameTexts } from "./stream-frames.ts";

/** Caller of a stream: the sender of its queries, and whether the credential has ended by which it was opened. */
export interface StreamCaller {
  sender: Sender;
  isEnded: () => boolean;
}

/** What a ticket carries, because the WebSocket's own request doesn't show it. */
interface TicketCaller {
  sender: Sender;
  /** True if a session of the console asked for it. Only a session of the console opens a stream with it, which ends with the session. */
  ofConsole: boolean;
}

/** Where the tickets of agents' WebSockets are kept: any node of the database accepts those of another. */
export type AgentTickets = Parameters<typeof redeemTicket>[0];

export const issueAgentTicket = (tickets: AgentTickets, name: string, call: Call) =>
  issueTicket<TicketCaller>(tickets, {
    owner: operatorTenant,
    resource: name,
    grant: { sender: senderIn(call), ofConsole: call.isConsole },
  });

/** Path of the agents' WebSockets. It needs no API token, because a ticket may replace the token. */
export const socketPath = "/v1/ws/agent/*";

/** A request to open an agent's WebSocket. */
interface Opening {
  ticket: string | undefined;
  request: Request;
  call: Call;
}

/**
 * Allows a caller to open an agent's WebSocket with the API token, if the daemon needs none, or with a ticket for this agent, which ends
 * with the session that it was issued to.
 */
export async function requireStreamAccess(
  tickets: AgentTickets,
  name: string,
  { ticket, request, call }: Opening,
): Promise<StreamCaller> {
  if (ticket !== undefined) {
    const take = isHandshake(request) ? redeemTicket : checkTicket;
    const { sender, ofConsole } = await take<TicketCaller>(tickets, ticket, name);
    if (call.isEnded() || (ofConsole && !call.isConsole)) throw sessionEnded();
    return { sender, isEnded: call.isEnded };
  }
  if (!call.trusted) {
    throw new AppError(
      "unauthorized",
      "unauthorized",
      "This WebSocket needs the API token or a stream ticket.",
      {
        details: {
          hint: `POST /v1/agents/${name}/stream-ticket with the token returns a ticket for ?ticket=….`,
        },
      },
    );
  }
  return { sender: senderIn(call), isEnded: call.isEnded };
}

const sessionEnded = () =>
  new AppError("unauthorized", "unauthorized", "The session of this stream has ended. Sign in again.");

/** Creates a WebSocket on which one agent answers. Each frame from the client is a query; queries are answered in order. */
export function runSocket(
  deps: RunDeps,
  name: string,
  { call, sender, isEnded }: StreamCaller & { call: Call },
): SocketHandler {
  return createWebSocketSession({
    call,
    errorFrame,
    isFinal: isEnded,
    async *answer(frame, signal): AsyncGenerator<string[]> {
      if (isEnded()) throw sessionEnded();
      const body = requireRunRequest(frame);
      // Looked up for each query, so a changed file takes effect at the next one.
      const agent = await locateAgent(deps, name, { override: body.override, sender });
      const request = runInput(deps, body, {
        stream: true,
        bundles: true,
        signal,
        requestId: call.requestId,
        outlives: true,
      });
      for await (const event of admitRun(deps, agent, request, body.record)) yield frameTexts(event);
    },
  });
}

function requireRunRequest(frame: unknown): RunRequest {
  if (Value.Check(RunRequest, frame)) return frame;
  throw invalidPart("The frame", Value.Errors(RunRequest, frame), RunRequest);
}
