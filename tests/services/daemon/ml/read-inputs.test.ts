import { expect, test } from "bun:test";
import type { AppError } from "../../../../src/kit/app-error.ts";
import type { TensorSlot } from "../../../../src/onnx/onnx-runtime.ts";
import { elementsOf } from "../../../../src/services/daemon/ml/elements.ts";
import { readInputs } from "../../../../src/services/daemon/ml/read-inputs.ts";

const slot = (type: string, ...shape: number[]): TensorSlot => ({ name: "x", type, shape });

test.each<[string, (number | string | boolean)[], unknown]>([
  ["float32", [1, -2.5, 0], Float32Array.of(1, -2.5, 0)],
  ["float16", [65_504], Float32Array.of(65_504)],
  ["float64", [1e300], Float64Array.of(1e300)],
  ["int8", [-128, 127], Int32Array.of(-128, 127)],
  ["uint8", [0, 255], Int32Array.of(0, 255)],
  ["int32", [-(2 ** 31)], Int32Array.of(-(2 ** 31))],
  ["uint32", [2 ** 32 - 1], BigInt64Array.of(2n ** 32n - 1n)],
  [
    "int64",
    [7, "-9223372036854775808", "9223372036854775807"],
    BigInt64Array.of(7n, -(2n ** 63n), 2n ** 63n - 1n),
  ],
  ["bool", [true, false, 1, 0], Uint8Array.of(1, 0, 1, 0)],
  ["string", ["a", ""], ["a", ""]],
])("elements of %s", (type, data, wanted) => {
  expect(readInputs({ x: { shape: [data.length], data } }, [slot(type, -1)]).x).toMatchObject({
    shape: [data.length],
    data: wanted,
  });
});

test.each<[string, number | string | boolean, RegExp]>([
  ["float32", "1", /must have numbers \(float32\), but element 1 is "1"/],
  ["float32", true, /numbers/],
  ["float32", 1e39, /numbers/],
  ["float16", 65_505, /numbers/],
  ["int8", 128, /from -128 to 127/],
  ["uint8", -1, /from 0 to 255/],
  ["int32", 1.5, /whole numbers/],
  ["int32", 2 ** 31, /whole numbers/],
  ["uint32", -1, /whole numbers/],
  ["int64", 2 ** 53, /whole numbers/],
  ["int64", "9223372036854775808", /whole numbers/],
  ["int64", "1e3", /whole numbers/],
  ["int64", "", /whole numbers/],
  ["int64", true, /whole numbers/],
  ["uint64", "-1", /whole numbers/],
  ["bool", 2, /true or false/],
  ["bool", "true", /true or false/],
  ["string", 1, /texts/],
])("%s does not take %j", (type, element, message) => {
  const valid = type === "string" ? "a" : type === "bool" ? true : 1;
  const read = () => readInputs({ x: { shape: [2], data: [valid, element] } }, [slot(type, -1)]);
  expect(read).toThrow(
    expect.objectContaining({ code: "invalid_request", message: expect.stringMatching(message) }),
  );
});

test.each<[string, number[], number, number[], RegExp]>([
  ["another rank", [2, 1], 2, [-1], /must have the shape \[any\], not \[2, 1\]/],
  ["another length", [2, 3], 6, [-1, 4], /must have the shape \[any, 4\], not \[2, 3\]/],
  ["too few elements", [2, 2], 3, [-1, 2], /has 3 elements, but its shape \[2, 2\] needs 4/],
  ["no elements for a single number", [], 0, [], /has 0 elements, but its shape \[\] needs 1/],
])("%s is refused", (_, shape, count, wanted, message) => {
  const read = () =>
    readInputs({ x: { shape, data: new Array(count).fill(1) } }, [slot("float32", ...wanted)]);
  expect(read).toThrow(expect.objectContaining({ message: expect.stringMatching(message) }));
});

test("every input at fault is named", () => {
  const slots = [slot("float32", -1), { ...slot("float32", -1), name: "pixels" }];
  try {
    readInputs({ pixel: { shape: [1], data: [1] }, x: { shape: [2], data: [1] } }, slots);
    throw new Error("it did not fail");
  } catch (thrown) {
    expect((thrown as AppError).details.problems).toEqual([
      { path: "inputs.pixel", message: "is not an input of the model; did you mean pixels?" },
      { path: "inputs.x", message: expect.stringMatching(/has 1 elements/) },
      { path: "inputs.pixels", message: "is missing: the model requires it" },
    ]);
  }
});

test("names that every object has are names like others", () => {
  const slots = [{ ...slot("float32", -1), name: "toString" }];
  expect(() => readInputs({}, slots)).toThrow(/inputs\.toString is missing/);
  expect(() => readInputs({ constructor: { shape: [1], data: [1] } } as never, slots)).toThrow(
    /inputs\.constructor is not an input/,
  );
});

test("what JSON can't hold goes as text", () => {
  const data = Float32Array.of(1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  expect(elementsOf({ type: "float32", shape: [4], data })).toEqual([1, "NaN", "Infinity", "-Infinity"]);
  const long = BigInt64Array.of(5n, 2n ** 53n, -(2n ** 60n));
  expect(elementsOf({ type: "int64", shape: [3], data: long })).toEqual([
    5,
    "9007199254740992",
    "-1152921504606846976",
  ]);
  expect(elementsOf({ type: "bool", shape: [2], data: Uint8Array.of(0, 1) })).toEqual([false, true]);
});
