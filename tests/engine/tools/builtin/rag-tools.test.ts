import { expect, test } from "bun:test";
import { ragIngest } from "../../../../src/engine/tools/builtin/rag-ingest.ts";
import { ragQuery } from "../../../../src/engine/tools/builtin/rag-query.ts";
import type { AgentKnowledge } from "../../../../src/engine/tools/rag/agent-knowledge.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { executeBuiltin } from "../../../support/executed-tool.ts";

test.each([
  [ragQuery, { query: "prices" }],
  [ragIngest, { document: "Prices of 2026" }],
])("without a pipeline a call fails and says so", async (tool, input) => {
  expect(await executeBuiltin(tool, input)).toEqual({
    success: false,
    error: expect.stringContaining("needs a RAG pipeline, and this agent has none"),
  });
});

test("with one they use it", async () => {
  const asked: unknown[] = [];
  const knowledge: AgentKnowledge = {
    async query({ signal: _, ...question }) {
      asked.push(question);
      const citation = { documentId: "d1", chunk: 0, start: 0, end: 9 };
      return [{ text: "Tea 2 EUR", score: 0.9, metadata: { page: 1 }, citation }];
    },
    async ingest({ signal: _, ...document }) {
      asked.push(document);
      return { documentId: "d1", chunksCreated: 3 };
    },
  };
  const context = { knowledge };
  expect(await executeBuiltin(ragQuery, { query: "tea", top_k: 3 }, { context })).toEqual({
    success: true,
    data: [
      {
        text: "Tea 2 EUR",
        score: 0.9,
        metadata: { page: 1 },
        citation: { document_id: "d1", chunk: 0, start: 0, end: 9 },
      },
    ],
  });
  expect(await executeBuiltin(ragIngest, { document: "Tea" }, { context })).toEqual({
    success: true,
    data: { document_id: "d1", chunks_created: 3 },
  });
  expect(asked).toEqual([
    { query: "tea", topK: 3 },
    { text: "Tea", metadata: {} },
  ]);
});

test("what goes wrong in it is a failed result", async () => {
  const down = () =>
    Promise.reject(new AppError("unavailable", "store_down", "The collection can't be read now."));
  expect(
    await executeBuiltin(ragQuery, { query: "x" }, { context: { knowledge: { query: down, ingest: down } } }),
  ).toEqual({
    success: false,
    error: "The collection can't be read now.",
  });
});

test.each([
  [ragQuery, { query: "" }],
  [ragQuery, { query: "x", top_k: 0 }],
  [ragIngest, {}],
  [ragIngest, { document: "x", metadata: [] }],
])("refuses an input of another shape", async (tool, input) => {
  expect(await executeBuiltin(tool, input)).toMatchObject({
    success: false,
    error: expect.stringContaining("doesn't fit the tool's parameters"),
  });
});
