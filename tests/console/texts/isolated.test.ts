import { expect, test } from "bun:test";
import { isolated } from "../../../src/console/texts/isolated.ts";

test("a name without marks of direction stays as it is", () => {
  expect(isolated("Ada & Sons")).toBe("Ada & Sons");
  expect(isolated("")).toBe("");
});

test("what would turn the rest of the sentence around is left out, however it is closed", () => {
  expect(isolated("abc\u202edef")).toBe("abcdef");
  expect(isolated("\u2069\u202eabc\u2067")).toBe("abc");
});

test("a name that runs from right to left keeps that to itself", () => {
  expect(isolated("שלום 7")).toBe("\u2068שלום 7\u2069");
  expect(isolated("\u202eمرحبا")).toBe("\u2068مرحبا\u2069");
});
