import { AppError } from "../../../../kit/app-error.ts";

/** Maximum characters of a line: a tool call with all its arguments is one line. */
const lineCharsMax = 4 * 1024 * 1024;

/**
 * Yields the lines that each network chunk completes, without blank ones; the last line needs no line feed. Stopping early cancels the
 * body. A line of more than 4 Mi characters throws AppError `upstream_failed`. Invalid UTF-8 is replaced.
 */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  /** The incomplete line. It is not searched again, so small chunks of a long line stay cheap. */
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const pieces = (done ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true })).split("\n");
      pieces[0] = rest + pieces[0];
      rest = pieces.pop() ?? "";
      if (rest.length > lineCharsMax) {
        throw new AppError(
          "upstream_failed",
          "stream_line_too_long",
          "A line of the stream is longer than 4 MiB.",
        );
      }
      const lines = pieces.filter((line) => line.trim() !== "");
      if (lines.length > 0) yield lines;
      if (done) return;
    }
  } finally {
    // After the end or failure of the body, nothing is left to cancel.
    reader.cancel().catch(() => undefined);
  }
}
