import { readBounded } from "../../../kit/fetch/bounded-body.ts";

/** A stream or form body is buffered before it is sent, so that it can be sent again after a redirect. */
const bodyBytesMax = 16 * 1024 * 1024;

/** The bytes of a `fetch` body, and its default content type. */
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

/** The headers of a `fetch` call. */
export function headersOfInit(
  given: RequestInit["headers"] | undefined,
  type: string | undefined,
): [string, string][] {
  const headers = new Headers(given as ConstructorParameters<typeof Headers>[0]);
  if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
  return [...headers];
}
