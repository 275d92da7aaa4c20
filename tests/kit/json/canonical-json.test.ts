import { expect, test } from "bun:test";
import { canonicalJson } from "../../../src/kit/json/canonical-json.ts";

test("keys are sorted by UTF-16 units at every depth, also keys that are numbers", () => {
  const value = { b: [{ z: 1, a: null }], "10": true, "9": 1.5, é: "ü", a: undefined };
  expect(canonicalJson(value)).toBe('{"10":true,"9":1.5,"b":[{"a":null,"z":1}],"é":"ü"}');
});

test("texts are changed first, keys are not", () => {
  const masked = (text: string) => text.replace("secret", "***");
  expect(canonicalJson({ secret: ["a secret"] }, masked)).toBe('{"secret":["a ***"]}');
});

test("empty lists and objects, and what JSON lacks", () => {
  expect(canonicalJson([[], {}, undefined, Number.NaN])).toBe("[[],{},null,null]");
});

test("a value 20,000 levels deep is written", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = [{ a: deep }];
  expect(canonicalJson(deep)).toBe(`${'[{"a":'.repeat(10_000)}1${"}]".repeat(10_000)}`);
});
