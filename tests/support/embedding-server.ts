import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestText } from "./request-text.ts";

/** One answer; omitted fields are those of a working server. */
export interface EmbeddingStep {
  status?: number;
  headers?: Record<string, string>;
  /** Sent unchanged instead of the answer. */
  body?: string;
  /** Waits for this before anything is sent; a promise that never resolves simulates a hanging server. */
  after?: Promise<unknown>;
  /** Length of the vectors, whatever was requested. */
  dimension?: number;
  /** Vectors as base64 of 32-bit numbers. */
  base64?: boolean;
  /** Changes the server's own answer. */
  change?: (answer: Record<string, unknown>) => Record<string, unknown>;
  /** The connection breaks after this many bytes of the body. */
  cutAfterBytes?: number;
}

export interface RecordedRequest {
  /** Path with its query. */
  path: string;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every vendor.
  body: any;
  /** Resolves when the connection was closed before the answer's end. */
  cut: Promise<void>;
}

/** One step per request, followed by normal answers; or a function of each request. */
export type EmbeddingScript =
  | readonly EmbeddingStep[]
  | ((request: RecordedRequest, number: number) => EmbeddingStep);

export interface EmbeddingServer {
  /** The base address, without a path. */
  url: string;
  /** All requests, in order. */
  requests: RecordedRequest[];
  /** Resolves when that many requests have arrived. */
  received(count: number): Promise<void>;
  /** Returns the maximum number of concurrent requests. */
  atOnce(): number;
  /** Closes every connection, including hanging ones; a second call does nothing. */
  stop: () => Promise<void>;
}

const dimensionDefault = 4;

/** Returns the vector of the server's model for a text; not of length 1. */
export function modelVector(text: string, dimension = dimensionDefault): number[] {
  const seed = [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521, 7);
  return Array.from({ length: dimension }, (_, at) => ((seed * (at + 3) + at * at) % 97) - 48.5);
}

/** Returns the server's rerank score of a text: the share of the query's words that it contains. */
export function relevanceOf(query: string, text: string): number {
  const wanted = wordsOf(query);
  const words = new Set(wordsOf(text));
  return wanted.filter((word) => words.has(word)).length / wanted.length;
}

const wordsOf = (text: string) => text.split(" ").filter((word) => word !== "");

/** Starts a server of embeddings (OpenAI's and Ollama's protocols) and of reranking (Cohere's) on a free loopback port. */
export async function startEmbeddingServer(script: EmbeddingScript = []): Promise<EmbeddingServer> {
  const requests: RecordedRequest[] = [];
  const waiting = new Set<() => void>();
  let inWork = 0;
  let most = 0;

  const server = createServer((request, response) => {
    inWork++;
    most = Math.max(most, inWork);
    response.on("close", () => inWork--);
    answer(request, response).catch(() => response.destroy());
  });
  // Closes no idle connection, which a request may be using at that instant.
  server.keepAliveTimeout = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded: RecordedRequest = {
      path: request.url ?? "",
      headers: new Headers(request.headers as Record<string, string>),
      body: JSON.parse(await requestText(request)),
      cut: new Promise((resolve) => response.on("close", () => response.writableFinished || resolve())),
    };
    const number = requests.push(recorded) - 1;
    for (const look of waiting) look();
    const step = (typeof script === "function" ? script(recorded, number) : script[number]) ?? {};
    await step.after;
    await play(step, recorded, response);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    received: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    atOnce: () => most,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function play(step: EmbeddingStep, request: RecordedRequest, response: ServerResponse): Promise<void> {
  const isRefused = step.status !== undefined && step.status !== 200;
  const body = step.body ?? (isRefused ? "{}" : JSON.stringify(answerOf(step, request)));
  const bytes = Buffer.from(body);
  const headers = {
    "content-type": "application/json",
    "content-length": String(bytes.length),
    ...step.headers,
  };
  response.writeHead(step.status ?? 200, headers);
  if (step.cutAfterBytes === undefined) return void response.end(bytes);
  await new Promise((resolve) => response.write(bytes.subarray(0, step.cutAfterBytes), resolve));
  response.destroy();
}

function answerOf(step: EmbeddingStep, request: RecordedRequest): Record<string, unknown> {
  const answer = request.path.includes("/rerank") ? rerankAnswer(request) : embeddingAnswer(step, request);
  return { ...answer, ...step.change?.(answer) };
}

function embeddingAnswer(step: EmbeddingStep, { path, body }: RecordedRequest): Record<string, unknown> {
  const dimension = step.dimension ?? body.dimensions ?? dimensionDefault;
  const vectors = [body.input].flat().map((text: string) => modelVector(text, dimension));
  if (path.includes("/api/embed")) return { model: body.model, embeddings: vectors };
  const data = vectors.map((vector, index) => ({
    object: "embedding",
    index,
    embedding: step.base64 ? Buffer.from(new Float32Array(vector).buffer).toString("base64") : vector,
  }));
  return { object: "list", model: body.model, data, usage: { prompt_tokens: 1, total_tokens: 1 } };
}

/** Returns the results best first, in the vendor's order. */
function rerankAnswer({ body }: RecordedRequest): Record<string, unknown> {
  const results = body.documents.map((text: string, index: number) => ({
    index,
    relevance_score: relevanceOf(body.query, text),
  }));
  results.sort(
    (a: { relevance_score: number }, b: { relevance_score: number }) => b.relevance_score - a.relevance_score,
  );
  return { id: "rerank-1", results };
}
