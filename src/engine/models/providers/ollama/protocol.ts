import { AppError } from "../../../../kit/app-error.ts";
import { bearer, parseAddress } from "../wire/address.ts";
import { createShapeWriter } from "../wire/answer-shape.ts";
import type { Protocol } from "../wire/http-kind.ts";
import { allParameters } from "../wire/request-parts.ts";
import { createBodyWriter } from "./body.ts";
import { OllamaReader } from "./ollama-reader.ts";

/** Ollama's own API, as documented at docs.ollama.com/api/chat and in `api/types.go` of its repository. */
export const ollamaProtocol: Protocol = {
  parameters: allParameters,
  /** Accepts the server's address with or without `/api`, and the full address of the chat route. */
  parseEndpoint: (endpoint) => parseAddress(endpoint, (path) => path.replace(/\/api(?:\/chat)?$/, "")),
  headers: bearer,
  modelList: { route: "/api/tags", list: "models", name: "name" },
  createWire({ subject, parameters, contextWindow, newId }) {
    const writeBody = createBodyWriter(subject.name, subject.model, parameters, contextWindow);
    const shapeOf = createShapeWriter(({ schema }) => ({ format: schema }));
    return {
      chatRoute: "/api/chat",
      streamType: "x-ndjson",
      readStream: readLines,
      shapeOf,
      begin: (request, shape) => ({
        body: writeBody(request, shape),
        reader: new OllamaReader(subject, request, newId),
      }),
    };
  },
};

/** Maximum characters of a line: a tool call with all its arguments is one line. */
const lineCharsMax = 4 * 1024 * 1024;

/**
 * Yields the lines that each network chunk completes, often none, without blank ones; the last line needs no line feed. Stopping early cancels the
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
      if (!done || lines.length > 0) yield lines;
      if (done) return;
    }
  } finally {
    // After the end or failure of the body, nothing is left to cancel.
    reader.cancel().catch(() => undefined);
  }
}
