import { AppError } from "../../../../kit/app-error.ts";

/** A tool call comes with all its arguments in one line. */
const lineCharsMax = 4 * 1024 * 1024;

/**
 * Yields, per network chunk, the lines that it completes, without the blank ones; the last needs no line feed. Stopping
 * early cancels the body. A line of more than 4 Mi characters is AppError `upstream_failed`; invalid UTF-8 is replaced.
 */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  /** The line that isn't complete yet; never searched again, so tiny chunks of a long line stay cheap. */
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
    // After the end of the body, or its failure, there is nothing left to cancel.
    reader.cancel().catch(() => undefined);
  }
}
