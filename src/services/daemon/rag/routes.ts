import { Elysia } from "elysia";
import {
  ChunkPreview,
  ChunkRequest,
  IngestAnswer,
  IngestRequest,
  JobAccepted,
  QueryAnswer,
  QueryRequest,
} from "../../../contracts/daemon/rag/rag.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { cutDocument } from "../../../retrieval/rag/ingest/cut-document.ts";
import { documentProblems } from "../../../retrieval/rag/ingest/document-content.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { type DaemonRag, pipelineAsked } from "./daemon-rag.ts";
import { chunkingOf, ingestLater, ingestNow, prefersAsync } from "./ingest-request.ts";
import { answerQuery } from "./query-request.ts";

/** Body limit for one request with documents. */
const ingestBytesMax = 8 * 1024 * 1024;

const tags = ["rag"];

/** Route that ingests documents. */
export interface RagRoutesDeps {
  rag: DaemonRag;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}

export const ragRoutes = (deps: RagRoutesDeps) => {
  const { rag, stopping } = deps;
  return new Elysia({ prefix: "/v1/rag" })
    .use(jsonRoutes(ingestBytesMax))
    .post(
      "/ingest",
      async ({ body, request, call, set }) => {
        if (body.async ?? prefersAsync(request.headers)) {
          const accepted = await ingestLater(rag, operatorTenant, body);
          set.status = 202;
          set.headers.location = `/v1/rag/jobs/${accepted.job_id}`;
          return accepted as never;
        }
        holdOpen(call, request);
        return ingestNow(rag, operatorTenant, body, AbortSignal.any([request.signal, stopping]));
      },
      {
        ...jsonBody(IngestRequest),
        response: { 200: IngestAnswer, 202: JobAccepted },
        detail: {
          tags,
          operationId: "ragIngest",
          summary: "Ingests documents into a collection",
          description:
            "Each document is split into chunks, embedded, and stored completely or not at all. An existing document with the same ID is replaced. Unchanged documents are skipped, so a failed request can be repeated.",
        },
      },
    )
    .post("/chunk", async ({ body, request }) => previewChunks(rag, operatorTenant, body, request.signal), {
      ...jsonBody(ChunkRequest),
      response: ChunkPreview,
      detail: {
        tags,
        operationId: "previewChunks",
        summary: "Previews the chunks of a text; nothing is stored",
      },
    });
};

/** Search route, which has small bodies. */
export const ragQueryRoutes = (deps: RagRoutesDeps) =>
  new Elysia({ prefix: "/v1/rag/query" }).use(jsonRoutes()).post(
    "",
    async ({ body, request, call }) => {
      holdOpen(call, request);
      const signal = AbortSignal.any([request.signal, deps.stopping]);
      return answerQuery(deps.rag, operatorTenant, body, signal);
    },
    {
      ...jsonBody(QueryRequest),
      response: QueryAnswer,
      detail: {
        tags,
        operationId: "ragQuery",
        summary: "Searches for the passages that best match a question",
      },
    },
  );

/** Maximum number of chunks shown. */
const shownMax = 1000;

/** Shows how a text would be split into chunks. */
async function previewChunks(
  rag: DaemonRag,
  tenant: string,
  request: ChunkRequest,
  signal: AbortSignal,
): Promise<ChunkPreview> {
  const { text } = request;
  const [problem] = documentProblems({ text }, "");
  if (problem !== undefined) {
    throw new AppError("invalid", "invalid_request", `The text ${problem.message}.`, {
      details: { problems: [problem] },
    });
  }
  const pipeline = await pipelineAsked(rag, { tenant, pipeline: request.pipeline });
  const leave = await rag.gate.enter(signal);
  try {
    const { chunks } = await cutDocument({ text }, chunkingOf(pipeline, request), pipeline, signal);
    return {
      chunks: chunks.slice(0, shownMax).map((chunk, index) => ({ chunk: index, ...chunk })),
      count: chunks.length,
    };
  } finally {
    leave();
  }
}
