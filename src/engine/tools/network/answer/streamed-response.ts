import type { Deadline } from "../../../../kit/deadline.ts";
import { asNetworkError, bodyTooLarge } from "../network-error.ts";
import { isPlain, unpackBody } from "./read-body.ts";

/**
 * The answer in the form of `fetch`, with its decoded body unread: limited to `bytesMax`, with errors converted. The deadline is disposed
 * of when the body ends or fails.
 */
export async function streamedResponse(
  response: Response,
  { url, redirected }: { url: string; redirected: boolean },
  bytesMax: number | undefined,
  deadline: Deadline,
): Promise<Response> {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  if (!isPlain(response)) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  const unpacked = await unpackBody(response);
  const hasBody = unpacked !== null && ![204, 205, 304].includes(status);
  if (!hasBody) {
    deadline.dispose();
    unpacked?.cancel().catch(() => undefined);
  }
  const body = hasBody ? bounded(unpacked, bytesMax ?? Number.POSITIVE_INFINITY, deadline) : null;
  const answer = new Response(body, { status, statusText, headers });
  // Readers of event streams reconnect to the final URL.
  Object.defineProperties(answer, { url: { value: url }, redirected: { value: redirected } });
  return answer;
}

function bounded(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
  deadline: Deadline,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader();
  let length = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          // A body cut off by an abort may end like a complete one.
          deadline.signal.throwIfAborted();
          length += value?.byteLength ?? 0;
          if (length > bytesMax) throw bodyTooLarge(bytesMax);
          if (!done) return controller.enqueue(value);
          deadline.dispose();
          controller.close();
        } catch (thrown) {
          controller.error(asNetworkError(thrown, deadline.signal));
          deadline.dispose();
          reader.cancel().catch(() => undefined);
        }
      },
      cancel(reason) {
        deadline.dispose();
        return reader.cancel(reason);
      },
    },
    // Reads nothing ahead of the consumer.
    { highWaterMark: 0 },
  );
}
