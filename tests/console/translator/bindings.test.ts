import { expect, test } from "bun:test";
import { graphOf } from "../../../src/console/translator/specs/bindings.ts";

const spec = { kind: "Agent", name: "desk" } as const;
const resource = (name: string, ...bindings: string[]) => ({
  resource_type: "t.kind",
  name,
  source_section: "spec",
  config: { bindings },
});
const id = (name: string) => `Agent/desk/t.kind/${name}`;

test("resources are placed in columns after those that they need, also those of other manifests", () => {
  const outside = "RAGPipeline/handbook/vertex.rag_corpus/handbook/corpus";
  const nodes = graphOf(spec, [resource("c", id("b")), resource("b", id("a"), outside), resource("a")]);
  const places = Object.fromEntries(nodes.map(({ name, depth, row }) => [name, [depth, row]]));
  expect(places).toEqual({ a: [0, 0], "handbook/corpus": [0, 1], b: [1, 0], c: [2, 0] });
  expect(nodes.filter(({ isOutside }) => isOutside).map((node) => node.id)).toEqual([outside]);
});

test("a circle ends", () => {
  const nodes = graphOf(spec, [resource("a", id("b")), resource("b", id("a"))]);
  expect(nodes).toHaveLength(2);
});

test("bindings that are none are passed over", () => {
  const odd = { ...resource("a"), config: { bindings: [1, null, "x"] } };
  expect(graphOf(spec, [odd]).map((node) => node.id)).toEqual(["x", id("a")]);
});
