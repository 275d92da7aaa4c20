import type { ChunkPreview, ChunkRequest } from "../../../contracts/daemon/rag/rag.ts";
import { AppError } from "../../../kit/app-error.ts";
import { cutDocument } from "../../../retrieval/rag/ingest/cut-document.ts";
import { documentProblems } from "../../../retrieval/rag/ingest/document-content.ts";
import { type DaemonRag, pipelineFor } from "./daemon-rag.ts";
import { chunkingOf } from "./ingest-request.ts";

/** Maximum number of chunks shown. */
const shownMax = 1000;

/** Shows how a text would be split into chunks. */
export async function previewChunks(
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
  const pipeline = pipelineFor(rag, { tenant, pipeline: request.pipeline });
  const leave = await rag.gate.enter(signal);
  try {
    const { chunks } = await cutDocument(text, chunkingOf(pipeline, request), pipeline, signal);
    return {
      chunks: chunks.slice(0, shownMax).map((chunk, index) => ({ chunk: index, ...chunk })),
      count: chunks.length,
    };
  } finally {
    leave();
  }
}
