import { type Static, Type } from "@sinclair/typebox";

/** A session of the signed-in person, of the platform or of the cloud. */
export const OwnSession = Type.Object({
  id: Type.String(),
  created_at: Type.String({ description: "Time of the sign-in, ISO 8601 UTC." }),
  last_used_at: Type.String({ description: "Last time that its tokens were refreshed, ISO 8601 UTC." }),
  client: Type.Union([Type.String(), Type.Null()], {
    description: "`User-Agent` of the sign-in; null if it is unknown.",
  }),
  address: Type.Union([Type.String(), Type.Null()], {
    description: "Address of the sign-in; null if it is unknown.",
  }),
  current: Type.Boolean({ description: "True for the session of this request." }),
});
export type OwnSession = Static<typeof OwnSession>;

export const OwnSessionList = Type.Object({ sessions: Type.Array(OwnSession) });
export type OwnSessionList = Static<typeof OwnSessionList>;
