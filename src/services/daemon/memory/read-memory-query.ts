import { Type } from "@sinclair/typebox";
import { UserName } from "../../../contracts/daemon/memory/semantic-memory.ts";
import { SessionId } from "../../../contracts/daemon/runs/run.ts";
import { AppError } from "../../../kit/app-error.ts";
import { parseInstant } from "../../../kit/parse-instant.ts";

/** A number from 0 to 1 as a query parameter. */
export const unitNumber = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: "^(0|1|0?\\.[0-9]{1,9}|1\\.0{1,9})$",
      fault: "must be a number from 0 to 1",
      description,
    }),
  );

/** Parameters that select texts and episodes. */
export const ofWhom = {
  session_id: Type.Optional(SessionId),
  user: Type.Optional(UserName),
};

export const cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 2048, description: "`next_cursor` of the page before." }),
);

/** For deletions: deleting everything needs an explicit parameter, and is not the default. */
export const everything = Type.Optional(
  Type.Literal("true", { description: "Everything of the agent; with nothing else." }),
);

/** Requires a deletion to name a selection or `all`, but not both. */
export function requireSelection(selection: object, all: "true" | undefined, names: string): void {
  const isNamed = Object.values(selection).some((value) => value !== undefined);
  if (isNamed !== (all === "true")) return;
  const message = isNamed ? "goes with nothing else" : `or one of ${names} has to be given`;
  throw new AppError("invalid", "invalid_request", `The query is not valid: all ${message}.`, {
    details: { problems: [{ path: "all", message }] },
  });
}

/** Parses the instant in a parameter. Throws AppError `invalid_request` if it is invalid. */
export function readInstant(path: string, text: string): Date {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  const message = "must be a day or an instant as ISO 8601 writes it";
  throw new AppError("invalid", "invalid_request", `${path} ${message}.`, {
    details: {
      hint: "For example 2026-01-31 or 2026-01-31T12:00:00Z; in a URL a + is written %2B.",
      problems: [{ path, message }],
    },
  });
}

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
  throw new AppError("invalid", "invalid_request", "The cursor is none that this server gave.", {
    details: {
      hint: "Begin again without a cursor.",
      problems: [{ path: "cursor", message: "is not known" }],
    },
  });
}
