import { type BodyCall, readBody } from "../../../http/request-body.ts";
import { AppError } from "../../../kit/app-error.ts";

/** What one file may have. */
export const fileBytesMax = 64 * 1024 * 1024;

/** A file that is being sent, not read yet. */
export interface Upload {
  /** What it may come to. */
  bytesMax: number;
  contentType: string | undefined;
  read(): Promise<Uint8Array>;
}

/** The file in a request's body; refuses what can't be one by its headers alone. */
export function uploadOf(request: Request, call: BodyCall): Upload {
  const contentType = request.headers.get("content-type") ?? undefined;
  if (/^\s*(?:multipart\/|application\/x-www-form-urlencoded)/i.test(contentType ?? "")) {
    throw new AppError("unsupported", "unsupported_media_type", "A file is sent as it is, not as a form.", {
      details: { hint: "Send its bytes as the body, with its own content type." },
    });
  }
  const declared = request.headers.get("content-length");
  return {
    bytesMax: declared === null ? fileBytesMax : Math.min(Number(declared), fileBytesMax),
    contentType,
    async read() {
      const bytes = await readBody(request, fileBytesMax, call);
      if (bytes !== undefined && bytes.length > 0) return bytes;
      throw new AppError("invalid", "invalid_request", "This request needs a file as its body.");
    },
  };
}
