import { AppError } from "../../kit/app-error.ts";

/** Maximum text of a document, in characters: about eight thousand pages. */
export const textCharsMax = 16_777_216;

/** Throws AppError `document_too_large` for a text of more than `textCharsMax` characters. */
export function requireTextFits(text: string): void {
  if (text.length > textCharsMax && characters(text) > textCharsMax) throw textTooLong();
}

export function textTooLong() {
  return documentTooLarge(
    `The file has more than ${textCharsMax.toLocaleString("en-US")} characters of text; split it into smaller files.`,
  );
}

function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0xdc00 || code > 0xdfff) count++;
  }
  return count;
}

/** Error for a file that can't be read; the message says what to do. */
export function unreadable(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "document_unreadable", message, { cause });
}

/** Error for a file that takes more work to read than a document may. */
export function documentTooLarge(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "document_too_large", message, { cause });
}

/** Kind of the loss that names pages without text. */
export const picturesLost = "pictures";

/** Advice for a file whose pages are pictures, when they are not recognized. */
export const recognitionAdvice =
  "Run text recognition first and send the result, or name spec.text_recognition in its pipeline.";
