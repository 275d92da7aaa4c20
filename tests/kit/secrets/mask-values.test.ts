import { expect, test } from "bun:test";
import { maskValues } from "../../../src/kit/secrets/mask-values.ts";

test("texts and keys are masked at every depth, and nothing else changes", () => {
  const mask = (text: string) => text.replaceAll("secret", "*");
  const value = { a: ["a secret", 1, null, { secret: true }], b: "plain" };
  expect(maskValues(value, mask)).toEqual({ a: ["a *", 1, null, { "*": true }], b: "plain" });
  expect(value.a[0]).toBe("a secret");
});
