import { expect, test } from "bun:test";
import {
  argumentCharsMax,
  argumentsText,
  argumentValuesMax,
  finishToolCalls,
} from "../../../../../src/engine/models/providers/wire/tool-calls.ts";

const finish = (...texts: string[]) =>
  finishToolCalls(
    texts.map((text, at) => ({ id: `c${at}`, name: "t", text })),
    () => "new",
  ).map(({ input, unparsable }) => (unparsable === undefined ? input : "unparsable"));

const list = (values: number) => `{"a":[${Array(values).fill("1").join(",")}]}`;

test("the arguments of all calls of an answer share their values", () => {
  // The object and its list are values, too.
  expect(finish(list(argumentValuesMax - 2))).not.toContain("unparsable");
  expect(finish(list(argumentValuesMax - 1))).toEqual(["unparsable"]);
  const half = list(argumentValuesMax / 2);
  expect(finish(half, half, '{"b":1}')).toEqual([JSON.parse(half), "unparsable", { b: 1 }]);
});

test("the arguments of all calls of an answer share their characters", () => {
  const text = (length: number) => JSON.stringify({ a: "x".repeat(length - 8) });
  expect(finish(text(argumentCharsMax))).not.toContain("unparsable");
  expect(finish(text(argumentCharsMax + 1))).toEqual(["unparsable"]);
  const most = text(argumentCharsMax - 4);
  expect(finish(most, '{"b":1}', "{}")).toEqual([JSON.parse(most), "unparsable", {}]);
});

test("arguments that come as an object of too many values are not written as JSON", () => {
  expect(argumentsText({ a: [1, { b: "c" }] })).toBe('{"a":[1,{"b":"c"}]}');
  expect(argumentsText(JSON.parse(list(argumentValuesMax)))).toBe("(too many values)");
  let deep: unknown = 1;
  for (let level = 0; level <= argumentValuesMax; level++) deep = [deep];
  expect(argumentsText({ deep })).toBe("(too many values)");
});
