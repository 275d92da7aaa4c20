import { AppError } from "../app-error.ts";
import { normalized } from "./normalize.ts";

/**
 * Before the @: up to 64 characters without spaces, quotes or invisible characters. After it: a domain name with a dot, also in non-Latin
 * letters. Only the mail server knows whether the mailbox exists.
 */
const form = /^[^\s@"\p{C}]{1,64}@[\p{L}\p{M}\p{N}-]{1,63}(\.[\p{L}\p{M}\p{N}-]{1,63})+$/u;
const lengthMax = 320;

/** Normalizes an address to lower case and NFC, so all spellings belong to one account. Throws `invalid_request` if it is invalid. */
export function readEmail(text: string): string {
  const email = normalized(text.trim(), "NFC").toLowerCase();
  if (email.length <= lengthMax && form.test(email)) return email;
  throw new AppError(
    "invalid",
    "invalid_request",
    "The body is not valid: email must be an e-mail address.",
    {
      details: { problems: [{ path: "email", message: "must be an e-mail address" }] },
    },
  );
}
