import { readBounded } from "../../../kit/bounded-body.ts";

/** A body that is given as a stream or form is gathered before it is sent, so that a redirect can send it again. */
const bodyBytesMax = 16 * 1024 * 1024;

/** The bytes of what a `fetch` was given to send, and the content type that goes with them when it says none itself. */
export async function bodyOfInit(
  body: RequestInit["body"] | undefined,
): Promise<{ body: string | Uint8Array | undefined; type: string | undefined }> {
  if (body === undefined || body === null) return { body: undefined, type: undefined };
  if (body instanceof Uint8Array) return { body, type: undefined };
  if (typeof body === "string") return { body, type: "text/plain;charset=UTF-8" };
  const carrier = new Response(body);
  const type = carrier.headers.get("content-type") ?? undefined;
  return { body: await readBounded(carrier, bodyBytesMax), type };
}

/** The headers that a `fetch` was given. */
export function headersOfInit(
  given: RequestInit["headers"] | undefined,
  type: string | undefined,
): [string, string][] {
  const headers = new Headers(given as ConstructorParameters<typeof Headers>[0]);
  if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
  return [...headers];
}
