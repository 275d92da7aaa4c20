import { expect, test } from "bun:test";
import { exampleInputs } from "../../../../src/console/studio/ml/example-inputs.ts";

test("inputs have the model's types and shapes, and any length is 1", () => {
  expect(
    exampleInputs([
      { name: "x", type: "float32", shape: [-1, 3] },
      { name: "text", type: "string", shape: [1] },
      { name: "flag", type: "bool", shape: [] },
    ]),
  ).toEqual({
    x: { shape: [1, 3], data: [0, 0, 0] },
    text: { shape: [1], data: [""] },
    flag: { shape: [], data: [false] },
  });
});

test("an image is not written out", () => {
  const [image] = Object.values(exampleInputs([{ name: "image", type: "float32", shape: [1, 3, 224, 224] }]));
  expect(image).toEqual({ shape: [1, 3, 224, 224], data: [] });
});
