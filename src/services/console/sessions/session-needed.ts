import { AppError } from "../../../kit/app-error.ts";

/** Creates the error for a page without a session, or with one that has ended. */
export function sessionNeeded(): AppError {
  return new AppError("unauthorized", "session_needed", "This needs a session of the console.", {
    details: { hint: "Sign in, or open the link that `argosy console` prints." },
  });
}
