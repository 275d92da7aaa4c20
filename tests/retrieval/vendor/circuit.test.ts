import { expect, test } from "bun:test";
import {
  afterCall,
  closedForMs,
  openCircuit,
  type VendorCircuit,
} from "../../../src/retrieval/vendor/circuit.ts";

/** Returns the circuit after calls with these ends: `d` down, `u` up, one second apart. */
function after(calls: string, from = openCircuit, startMs = 0): VendorCircuit {
  let circuit = from;
  for (const [at, call] of [...calls].entries())
    circuit = afterCall(circuit, call === "u", startMs + at * 1000);
  return circuit;
}

test.each([
  ["", 0],
  ["dd", 0],
  ["ddd", 30_000],
  ["dddd", 30_000],
  ["ddud", 0],
  ["ddudd", 0],
  ["ddu", 0],
  ["dddu", 0],
])("%p", (calls, closedMs) => {
  expect(closedForMs(after(calls), Math.max(0, calls.length - 1) * 1000)).toBe(closedMs);
});

test("calls pass again after half a minute, and the first that fails closes the way again", () => {
  const closed = after("ddd");
  expect(closedForMs(closed, 31_999)).toBe(1);
  expect(closedForMs(closed, 32_000)).toBe(0);
  expect(closedForMs(after("d", closed, 40_000), 40_000)).toBe(30_000);
  expect(closedForMs(after("ud", closed, 40_000), 41_000)).toBe(0);
});
