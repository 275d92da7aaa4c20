import { type Static, Type } from "@sinclair/typebox";

/** Ticket for pages, which can't set headers on a WebSocket: `GET /v1/ws/agent/{name}?ticket=…`. */
export const StreamTicket = Type.Object(
  {
    ticket: Type.String({ description: "Good for one opening of this agent's WebSocket." }),
    expires_in: Type.Integer({ description: "Seconds." }),
  },
  { $id: "StreamTicket" },
);
export type StreamTicket = Static<typeof StreamTicket>;
