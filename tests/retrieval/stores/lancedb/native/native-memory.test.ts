import { expect, test } from "bun:test";
import {
  bufferLimits,
  openFilesOf,
} from "../../../../../src/retrieval/stores/lancedb/native/native-memory.ts";

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             96281                96281                processes
Max open files            ${soft.padEnd(21)}1048576              files
Max locked memory         8388608              8388608              bytes
`;

test.each([
  ["1024", 1024],
  ["1048576", 1_048_576],
  ["unlimited", Number.POSITIVE_INFINITY],
])("reads a limit of %s open files", (soft, expected) => {
  expect(openFilesOf(limits(soft))).toBe(expected);
});

test("a system that tells no limit has none to spare", () => {
  expect(openFilesOf("")).toBe(0);
});

test("a file for each partition is used only where many may be open", () => {
  expect(bufferLimits(16_383)).not.toHaveProperty("LANCE_LEGACY_SHUFFLER");
  expect(bufferLimits(16_384)).toHaveProperty("LANCE_LEGACY_SHUFFLER", 1);
});
