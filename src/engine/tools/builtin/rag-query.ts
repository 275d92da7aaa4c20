import { Type } from "@sinclair/typebox";
import { presentPassage } from "../rag/rag-tool.ts";
import type { ToolResult } from "../tool.ts";
import { builtinTool } from "./builtin-tool.ts";

/** Searches the agent's knowledge. */
export const ragQuery = builtinTool({
  name: "rag_query",
  description: "Searches the agent's knowledge and returns the passages that fit best.",
  hasNoEffects: true,
  docs: "Returns a list of `{text, score, metadata, citation}`, the best first. It needs a RAG pipeline in the agent context; without one a call fails and says so.",
  parameters: Type.Object(
    {
      query: Type.String({ description: "What to look for.", minLength: 1, maxLength: 8192 }),
      top_k: Type.Optional(
        Type.Integer({ description: "How many passages at most.", minimum: 1, maximum: 100 }),
      ),
    },
    { additionalProperties: false },
  ),
  options: Type.Object({}, { additionalProperties: false }),
  describeCall: ({ query }) => ({ target: query, operation: "search knowledge" }),
  build() {
    return async ({ query, top_k }, { knowledge, signal }): Promise<ToolResult> => {
      if (knowledge === undefined) {
        const error = "rag_query needs a RAG pipeline, and this agent has none; answer without it.";
        return { success: false, error };
      }
      const passages = await knowledge.query({ query, signal, ...(top_k && { topK: top_k }) });
      return { success: true, data: passages.map(presentPassage) };
    };
  },
});
