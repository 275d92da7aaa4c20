import { expect, test } from "bun:test";
import { limitWasmMemory } from "../../../../src/engine/templates/minijinja/limit-wasm-memory.ts";

/** A module with one exported memory; `memory` is the body of its memory section. */
const moduleWith = (...memory: number[]) =>
  new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, memory.length, ...memory, 7, 5, 1, 1, 0x6d, 2, 0]);

test("the memory grows to the limit and no further", () => {
  const limited = limitWasmMemory(moduleWith(1, 0, 3), 300);
  const { m } = new WebAssembly.Instance(new WebAssembly.Module(limited)).exports;
  const memory = m as WebAssembly.Memory;
  expect(memory.grow(297)).toBe(3);
  expect(() => memory.grow(1)).toThrow();
});

test("what isn't one unbounded memory is refused", () => {
  expect(() => limitWasmMemory(moduleWith(1, 1, 3, 9), 300)).toThrow("one memory without a maximum");
  expect(() => limitWasmMemory(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), 300)).toThrow("no memory");
});
