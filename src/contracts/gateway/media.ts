import { type Static, Type } from "@sinclair/typebox";

/** A file that was uploaded to be sent. */
export const UploadedFile = Type.Object({
  id: Type.String({ description: "For `media: [{id}]` of a message." }),
  kind: Type.String(),
  mime_type: Type.String({ description: "By its bytes." }),
  filename: Type.Union([Type.String(), Type.Null()]),
  bytes: Type.Integer({ minimum: 1 }),
  expires_at: Type.String(),
});
export type UploadedFile = Static<typeof UploadedFile>;
