import { Type } from "@sinclair/typebox";
import { AppError } from "../kit/app-error.ts";

/** The query parameter `cursor` of a list. */
export const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 2048,
    description: "Value of `next_cursor` from the previous page.",
  }),
);

/** Encodes a position in a list as an opaque text. */
export function encodeCursor(place: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** Decodes a position from `encodeCursor`. Throws AppError `invalid_request` for any other text. */
export function decodeCursor(cursor: string): readonly unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(place) && encodeCursor(place) === cursor) return place;
  } catch {
    // Throws the error below.
  }
  throw refuseCursor();
}

/** The error for a cursor that no page of this list returned. */
export const refuseCursor = () =>
  new AppError("invalid", "invalid_request", "The cursor is not valid.", {
    details: {
      hint: "Start again without a cursor.",
      problems: [{ path: "cursor", message: "is not known" }],
    },
  });
