import type { Readable } from "node:stream";
import { AppError } from "../kit/app-error.ts";

/** All of `input` as text, without the line end that a shell adds; more than `bytesMax` or no UTF-8 is refused. */
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

/** The lines of `input` as they come, without their ends. */
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
  // Waiting for input that may never come ends with the signal.
  const stop = () => void input.destroy(new Error("interrupted"));
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of input) yield decoder(chunk);
    yield decoder();
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Decodes a text piece by piece; called without one, it says whether the text may end there. */
function strictDecoder(): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw notUtf8(cause);
    }
  };
}

function notUtf8(cause: unknown): AppError {
  return new AppError("invalid", "usage", "The text on stdin is not valid UTF-8.", { cause });
}
