import { type Static, Type } from "@sinclair/typebox";

/** Ticket for pages, which can't set headers on a WebSocket: `GET /v1/ws/agent/{name}?ticket=…`. */
export const StreamTicket = Type.Object(
  {
    ticket: Type.String({ description: "Ticket valid for one WebSocket connection to this agent." }),
    expires_in: Type.Integer({ description: "Validity of the ticket in seconds." }),
  },
  { $id: "StreamTicket" },
);
export type StreamTicket = Static<typeof StreamTicket>;
