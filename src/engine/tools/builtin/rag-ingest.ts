import { Type } from "@sinclair/typebox";
import type { ToolResult } from "../tool.ts";
import { builtinTool } from "./builtin-tool.ts";

/** Adds a document to the agent's knowledge. */
export const ragIngest = builtinTool({
  name: "rag_ingest",
  description: "Adds a document to the agent's knowledge.",
  docs: "Returns `{document_id, chunks_created}`. It needs a RAG pipeline in the agent context; without one a call fails and says so.",
  parameters: Type.Object(
    {
      document: Type.String({ description: "The text of the document.", minLength: 1, maxLength: 2_000_000 }),
      metadata: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'What is known of it, for example {"title": "Prices 2026"}.',
          maxProperties: 64,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  options: Type.Object({}, { additionalProperties: false }),
  describeCall: ({ document }) => ({
    target: `a document of ${document.length} characters`,
    operation: "add to knowledge",
  }),
  build() {
    return async ({ document, metadata = {} }, { knowledge, signal }): Promise<ToolResult> => {
      if (knowledge === undefined) {
        const error = "rag_ingest needs a RAG pipeline, and this agent has none; the document was not added.";
        return { success: false, error };
      }
      const { documentId, chunksCreated } = await knowledge.ingest({ text: document, metadata, signal });
      return { success: true, data: { document_id: documentId, chunks_created: chunksCreated } };
    };
  },
});
