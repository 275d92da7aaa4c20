import { AppError } from "../../../kit/app-error.ts";

/** One @ with something without spaces and control characters on both sides, and a dot behind it: what a mail server accepts, it knows better. */
const form = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}.]+(\.[^\s@\p{Cc}.]+)+$/u;

/** The address as it is stored: in lower case. Throws `invalid_request` for what is none. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (form.test(email)) return email;
  throw new AppError(
    "invalid",
    "invalid_request",
    "The body is not valid: email must be an e-mail address.",
    {
      details: { problems: [{ path: "email", message: "must be an e-mail address" }] },
    },
  );
}
