import { type Static, Type } from "@sinclair/typebox";
import { Media } from "./messages.ts";
import { visitorTextMax } from "./webchat-limits.ts";

const closed = { additionalProperties: false } as const;

/** External id of a web chat account; in paths it is `:cuenta`. */
export const WebchatAccount = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "External id of a web chat account.",
});

/** Address of a visitor. Session ids are made from it, so it has no control characters. */
export const VisitorId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]+$",
  fault: "must be 1 to 200 characters without control characters, and not only white space",
});

const text = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: "\\S",
    fault: `must be a text of 1 to ${maxLength} characters that is not only white space`,
  });

/** A visitor's message that a program of the operator hands in. */
export const BridgeMessage = Type.Object(
  { cuenta: WebchatAccount, visitante: VisitorId, texto: text(65_536) },
  closed,
);
export type BridgeMessage = Static<typeof BridgeMessage>;

export const BridgeAccepted = Type.Object({
  encolado: Type.Literal(true),
  channel_message_id: Type.String(),
});
export type BridgeAccepted = Static<typeof BridgeAccepted>;

export const threadSides = ["visitante", "agente"] as const;
export type ThreadSide = (typeof threadSides)[number];

const message = {
  id: Type.String(),
  lado: Type.Unsafe<ThreadSide>(Type.Union(threadSides.map((side) => Type.Literal(side)))),
  texto: Type.String(),
  media: Type.Array(Media),
  at: Type.String({ description: "Strictly increasing within a thread." }),
};

export const ThreadMessage = Type.Object(message);
export type ThreadMessage = Static<typeof ThreadMessage>;

export const Thread = Type.Object({ mensajes: Type.Array(ThreadMessage) });
export type Thread = Static<typeof Thread>;

export const WebchatSiteInput = Type.Object(
  {
    origins: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 50,
      description: "Origins of the pages that may show the chat, such as `https://shop.example`.",
    }),
  },
  closed,
);
export type WebchatSiteInput = Static<typeof WebchatSiteInput>;

export const WebchatSite = Type.Object({
  cuenta: Type.String(),
  tenant_id: Type.String(),
  origins: Type.Array(Type.String()),
});
export type WebchatSite = Static<typeof WebchatSite>;

export const VisitorSession = Type.Object({
  token: Type.String({ description: "Bearer token of this visitor. Ask again with it to renew it." }),
  expires_at: Type.String(),
});
export type VisitorSession = Static<typeof VisitorSession>;

/** The client's own name of a message. */
const ref = Type.String({
  pattern: "^[\\w-]{1,64}$",
  description: "A repeated `ref` returns the message that was accepted first.",
  fault: "must be 1 to 64 letters, digits and the characters _ and -",
});

export const VisitorMessage = Type.Object({ texto: text(visitorTextMax), ref: Type.Optional(ref) }, closed);
export type VisitorMessage = Static<typeof VisitorMessage>;

const rating = Type.Union([Type.Literal("up"), Type.Literal("down")]);

export const VisitorThreadMessage = Type.Object({
  ...message,
  ref: Type.Optional(Type.String()),
  es_calificable: Type.Optional(
    Type.Literal(true, { description: "An agent's answer, which the visitor may rate." }),
  ),
  calificacion: Type.Optional({ ...rating, description: "The visitor's rating." }),
});
export type VisitorThreadMessage = Static<typeof VisitorThreadMessage>;

export const VisitorThread = Type.Object({ mensajes: Type.Array(VisitorThreadMessage) });
export type VisitorThread = Static<typeof VisitorThread>;

/** A visitor's rating of an answer. It replaces the one before. */
export const VisitorRating = Type.Object(
  {
    mensaje: Type.String({ minLength: 1, maxLength: 64, description: "Id of the answer." }),
    calificacion: Type.Union([rating, Type.Null()], {
      description: "`null` withdraws the rating.",
      fault: 'must be "up", "down" or null',
    }),
  },
  closed,
);
export type VisitorRating = Static<typeof VisitorRating>;

export const VisitorRated = Type.Object({ mensaje: VisitorThreadMessage });
export type VisitorRated = Static<typeof VisitorRated>;

export const VisitorAccepted = Type.Object({ encolado: Type.Literal(true), mensaje: VisitorThreadMessage });
export type VisitorAccepted = Static<typeof VisitorAccepted>;
