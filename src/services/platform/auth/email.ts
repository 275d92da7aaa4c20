import { AppError } from "../../../kit/app-error.ts";

/**
 * One @, before it up to 64 characters without spaces, quotes and whatever can't be seen, behind it a domain name with a dot, also in
 * letters of other scripts. Whether there is such a mailbox, its server knows.
 */
const form = /^[^\s@"\p{C}]{1,64}@[\p{L}\p{M}\p{N}-]{1,63}(\.[\p{L}\p{M}\p{N}-]{1,63})+$/u;
const lengthMax = 320;

/** The address as it is stored: in lower case, composed (NFC), so that each spelling of it is one account. Throws `invalid_request` for what is none. */
export function readEmail(text: string): string {
  const email = text.trim().normalize("NFC").toLowerCase();
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
