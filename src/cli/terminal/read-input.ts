import type { Readable } from "node:stream";
import { AppError } from "../../kit/app-error.ts";

/** Returns all of `input` as text, without the final line end that a shell adds. Refuses more than `bytesMax` bytes, invalid UTF-8 and NUL. */
export async function readText(input: Readable, bytesMax: number, signal: AbortSignal): Promise<string> {
  let text = "";
  let bytes = 0;
  for await (const piece of readPieces(input, signal)) {
    bytes += Buffer.byteLength(piece);
    if (bytes > bytesMax) {
      throw new AppError(
        "too_large",
        "body_too_large",
        `The text on stdin is longer than ${bytesMax} bytes.`,
      );
    }
    text += piece;
  }
  return text.replace(/\r?\n$/, "");
}

/** Yields the lines of `input` as they arrive, without their ends. */
export async function* readLines(input: Readable, signal: AbortSignal): AsyncGenerator<string, void> {
  let rest = "";
  for await (const piece of readPieces(input, signal)) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  if (rest !== "") yield rest;
}

async function* readPieces(input: Readable, signal: AbortSignal): AsyncGenerator<string, void> {
  const decoder = strictDecoder();
  // The signal ends the wait for input that may never arrive.
  const stop = () => void input.destroy(new Error("interrupted"));
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of input) yield decoder(chunk);
    yield decoder();
  } catch (thrown) {
    // A folder or a closed descriptor in its place, for example.
    const { code } = thrown as NodeJS.ErrnoException;
    if (signal.aborted || thrown instanceof AppError || code === undefined) throw thrown;
    throw new AppError("invalid", "usage", `The text on stdin can't be read (${code}).`, { cause: thrown });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Returns a function that decodes a text piece by piece. Called without a chunk, it throws if the text is incomplete. */
function strictDecoder(): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return (chunk) => {
    const piece = decode(decoder, chunk);
    if (piece.includes("\0")) throw notText("holds a NUL character, so it is not text");
    return piece;
  };
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw notText("is not valid UTF-8", cause);
  }
}

function notText(fault: string, cause?: unknown): AppError {
  return new AppError("invalid", "usage", `The text on stdin ${fault}.`, { cause });
}
