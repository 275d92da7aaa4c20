import { expect, test } from "bun:test";
import { usesOfModel } from "../../../../src/console/studio/ml/uses-of-model.ts";

const providers = [
  {
    type: "onnx",
    models: [
      { model: "tiny", agents: ["writer", "helper"], listed: false },
      { model: "tiny-2", agents: ["other"], listed: false },
    ],
  },
  { type: "ollama", models: [{ model: "tiny", agents: ["elsewhere"], listed: false }] },
];
const collections = [
  { name: "handbook", embedder: "sentence_transformer/tiny@0a1b" },
  { name: "news", embedder: "sentence_transformer/tiny-2@0a1b" },
  { name: "notes", embedder: "local_hash" },
];

test.each(["tiny/model.onnx", "tiny/onnx/model.onnx"])(
  "%s: agents and collections name its folder",
  (path) => {
    expect(usesOfModel({ path }, providers, collections)).toEqual({
      agents: ["helper", "writer"],
      collections: ["handbook"],
    });
  },
);

test.each(["sentiment.onnx", "tiny/other.onnx", "model.onnx"])("%s is in no text model's folder", (path) => {
  expect(usesOfModel({ path }, providers, collections)).toEqual({ agents: [], collections: [] });
});
