import { Type } from "@sinclair/typebox";
import { actingForHeader } from "../../../contracts/gateway/desk.ts";
import { AppError } from "../../../kit/app-error.ts";

/** The header that names the person for whom an operator's program acts. */
export const actingHeaders = {
  [actingForHeader]: Type.Optional(
    Type.String({
      maxLength: 1440,
      description: "Person for whom the call is made; percent-encoded if the name isn't ASCII.",
    }),
  ),
};

/** Reads the person; null if nobody is named. Throws 400 for a name that is none. */
export function actorIn(headers: Headers): string | null {
  const sent = headers.get(actingForHeader)?.trim() ?? "";
  if (sent === "") return null;
  const name = decoded(sent)?.trim();
  if (name === undefined || !/^[^\p{Cc}]{1,120}$/u.test(name))
    throw new AppError(
      "invalid",
      "invalid_request",
      "X-Acting-For must be a name of 1 to 120 characters, percent-encoded if it isn't ASCII.",
    );
  return name;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
