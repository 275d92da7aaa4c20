import { AppError } from "../../../kit/app-error.ts";

/** What a page is told that has no session, or has one no longer. */
export function sessionNeeded(): AppError {
  return new AppError("unauthorized", "session_needed", "This needs a session of the console.", {
    details: { hint: "Sign in, or open the link that `argosy console` prints." },
  });
}
