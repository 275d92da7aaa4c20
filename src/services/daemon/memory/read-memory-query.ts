import { Type } from "@sinclair/typebox";
import { UserName } from "../../../contracts/daemon/memory/semantic-memory.ts";
import { SessionId } from "../../../contracts/daemon/runs/run.ts";
import { AppError } from "../../../kit/app-error.ts";

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

/** For deletions: deleting everything needs an explicit parameter, and is not the default. */
export const everything = Type.Optional(
  Type.Literal("true", {
    description: "Deletes all entries of the agent. Can't be combined with other parameters.",
  }),
);

/** Requires a deletion to name a selection or `all`, but not both. */
export function requireSelection(selection: object, all: "true" | undefined, names: string): void {
  const isNamed = Object.values(selection).some((value) => value !== undefined);
  if (isNamed !== (all === "true")) return;
  const message = isNamed ? "can't be combined with a selection" : `or one of ${names} is required`;
  throw new AppError("invalid", "invalid_request", `The query is not valid: all ${message}.`, {
    details: { problems: [{ path: "all", message }] },
  });
}
