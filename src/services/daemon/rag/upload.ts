import { type BodyCall, readBody } from "../../../http/request-body.ts";
import { AppError } from "../../../kit/app-error.ts";

/** Maximum size of one file in bytes. */
export const fileBytesMax = 64 * 1024 * 1024;

/** A file in a request that is not read yet. */
export interface Upload {
  /** Upper limit for its size in bytes. */
  bytesMax: number;
  contentType: string | undefined;
  read(): Promise<Uint8Array>;
}

/** Returns the file in a request's body. Refuses content types that can't be a file. */
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
