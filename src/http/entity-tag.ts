import { Type } from "@sinclair/typebox";
import { AppError } from "../kit/app-error.ts";
import { checksumOf } from "../kit/json/canonical-json.ts";

/** Returns the strong ETag of a resource in the state that `content` describes. */
export const entityTag = (content: unknown): string => `"${checksumOf(content).slice(0, 32)}"`;

/** Header with which a caller changes a resource only if it still is as the caller read it. */
export const IfMatch = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      description:
        "ETag of the version to replace. If the resource has changed since, the request fails with 412 `version_changed`.",
    }),
  ),
});

/** Refuses a change of a resource that is not in the state that the caller read. Gets its present ETag; undefined if there is none. */
export type RequireMatch = (present: string | undefined) => void;

/** Returns the check that a request's `If-Match` asks for. Without the header, every state is accepted. */
export function matchIn(headers: Headers): RequireMatch {
  const expectedTag = headers.get("if-match");
  if (expectedTag === null) return () => {};
  const tags = expectedTag.split(",").map(plainTag);
  return (present) => {
    if (present !== undefined && (tags.includes("*") || tags.includes(plainTag(present)))) return;
    throw new AppError(
      "precondition_failed",
      "version_changed",
      present === undefined
        ? "It was deleted, or never existed: If-Match names a version of it."
        : "It has changed since you read it: If-Match names another version.",
      {
        details: { hint: "Read it again, merge your changes, and send the ETag of that answer in If-Match." },
      },
    );
  };
}

/** Proxies that compress answers mark the tag as weak; the state is the same. */
const plainTag = (tag: string): string => tag.trim().replace(/^W\//, "");
