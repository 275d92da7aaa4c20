import { describe, expect, test } from "bun:test";
import { checkManifest } from "../../../../../src/console/editor/check-manifest.ts";
import {
  pipelineTemplate,
  pipelineText,
} from "../../../../../src/console/studio/knowledge/pipelines/pipeline-text.ts";
import {
  type RetrievalFields,
  readFilters,
  retrievalRequest,
} from "../../../../../src/console/studio/knowledge/retrieval/retrieval-request.ts";

const none: RetrievalFields = { q: "", mode: "", k: "", min: "", filters: "", rerank: "" };
const aim = { collection: "handbook", pipeline: "" };

describe("what is asked of the daemon", () => {
  const rows: readonly [Partial<RetrievalFields>, object | undefined][] = [
    [{}, undefined],
    [{ q: "  " }, undefined],
    [{ q: "tea", k: "many" }, undefined],
    [{ q: "tea", min: "0,5" }, undefined],
    [{ q: "tea" }, { collection: "handbook", query: "tea" }],
    [
      { q: "tea", mode: "text", k: "3", min: "0.5", filters: '{"lang": "en"}', rerank: "off" },
      {
        collection: "handbook",
        query: "tea",
        mode: "text",
        top_k: 3,
        score_threshold: 0.5,
        filters: { lang: "en" },
        rerank: false,
      },
    ],
    [
      { q: "tea", min: "0" },
      { collection: "handbook", query: "tea", score_threshold: 0 },
    ],
    [
      { q: "tea", mode: "magic" },
      { collection: "handbook", query: "tea" },
    ],
    [{ q: "tea", filters: "{" }, undefined],
  ];
  for (const [fields, request] of rows) {
    test(JSON.stringify(fields), () => {
      const asked = retrievalRequest({ ...none, ...fields }, aim);
      if (request === undefined) expect(asked).toBeUndefined();
      else expect<object | undefined>(asked).toEqual(request);
    });
  }

  test("filters are an object or nothing", () => {
    expect(readFilters("")).toEqual({});
    expect(readFilters("[1]")).toBeUndefined();
    expect(readFilters("null")).toBeUndefined();
  });
});

describe("a pipeline's text", () => {
  test("what a new one begins with is one", () =>
    expect(checkManifest("RAGPipeline", pipelineTemplate)).toEqual([]));

  test("one that is loaded is written as one", () => {
    const text = pipelineText("manuals", { chunking: { chunk_size: 100, overlap: 10 }, sources: [] });
    expect(checkManifest("RAGPipeline", text)).toEqual([]);
    expect(text).toContain("name: manuals");
  });

  test("faults are shown at their lines", () => {
    const text = pipelineTemplate.replace("overlap: 50", "overlap: 600");
    expect(checkManifest("RAGPipeline", text)).toMatchObject([{ path: "spec.chunking.overlap", line: 6 }]);
  });
});
