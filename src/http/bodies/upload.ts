import { AppError } from "../../kit/app-error.ts";
import { leavesRoom } from "../../kit/concurrency/owner-places.ts";
import { type BodyCall, readBody } from "./request-body.ts";

/** A file in a request that is not read yet. */
export interface Upload {
  /** Length from its headers; undefined without one. */
  declaredBytes: number | undefined;
  contentType: string | undefined;
  /** Throws AppError `body_too_large` (413) above `bytesMax`, `invalid_request` (400) when there is nothing. */
  read(bytesMax: number): Promise<Uint8Array>;
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
    declaredBytes: declared === null ? undefined : Number(declared),
    contentType,
    async read(bytesMax) {
      const bytes = await readBody(request, bytesMax, call);
      if (bytes !== undefined && bytes.length > 0) return bytes;
      throw new AppError("invalid", "invalid_request", "This request needs a file as its body.");
    },
  };
}

/** The bytes to keep room for while the file is read. */
export const roomFor = ({ declaredBytes }: Upload, bytesMax: number): number =>
  Math.min(declaredBytes ?? bytesMax, bytesMax);

/** Limits the total size of files in memory, over all requests. */
export class UploadBudget {
  readonly #bytesMax: number;
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Reserves this many bytes and returns a function that releases them; calling it again does nothing. Throws `too_busy` if there is no
   * room, or none beside what must remain for other owners.
   */
  take(bytes: number, owner?: string): () => void {
    const own = owner === undefined ? 0 : (this.#byOwner.get(owner) ?? 0);
    const isFull = this.#bytes + bytes > this.#bytesMax;
    if (isFull || !leavesRoom(own, this.#bytesMax - this.#bytes)) {
      throw new AppError("unavailable", "too_busy", "Too many files are being read; try again in a moment.", {
        details: { retryAfterSeconds: 2 },
      });
    }
    const add = (more: number) => {
      this.#bytes += more;
      if (owner === undefined) return;
      const sum = (this.#byOwner.get(owner) ?? 0) + more;
      if (sum > 0) this.#byOwner.set(owner, sum);
      else this.#byOwner.delete(owner);
    };
    add(bytes);
    let bufferedBytes = bytes;
    return () => {
      add(-bufferedBytes);
      bufferedBytes = 0;
    };
  }
}
