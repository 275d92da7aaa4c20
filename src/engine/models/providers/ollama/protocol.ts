import { bearer, parseAddress } from "../wire/address.ts";
import { createShapeWriter } from "../wire/answer-shape.ts";
import type { Protocol } from "../wire/http-kind.ts";
import { createBodyWriter } from "./body.ts";
import { OllamaReader } from "./ollama-reader.ts";
import { readLines } from "./read-lines.ts";

/** Ollama's own API, as documented at docs.ollama.com/api/chat and in `api/types.go` of its repository. */
export const ollamaProtocol: Protocol = {
  parameters: [
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "frequency_penalty",
    "presence_penalty",
    "stop",
  ],
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
