import { expect, test } from "bun:test";
import {
  addDelegatedCost,
  type ModelCallRecord,
  newRunState,
  noUsage,
  totalCost,
} from "../../../src/engine/run-state/run-state.ts";

const call = (costMicros: number | null): ModelCallRecord => ({
  provider: "lab",
  model: "test-model",
  usage: noUsage(),
  costMicros,
  latencyMs: 1,
});
const stateWith = (...costs: (number | null)[]) => ({ ...newRunState([]), modelCalls: costs.map(call) });

test("a run costs what its calls and those of the agents that it called cost", () => {
  const state = stateWith(2, 3);
  expect(totalCost(state)).toBe(5);
  addDelegatedCost(state, 10);
  addDelegatedCost(state, 1);
  expect(totalCost(state)).toBe(16);
});

test("the cost is unknown if the price of one call is, also in a called agent", () => {
  expect(totalCost(stateWith(2, null))).toBeNull();
  const state = stateWith(2);
  addDelegatedCost(state, null);
  addDelegatedCost(state, 4);
  expect(totalCost(state)).toBeNull();
});

test("simulated calls without a price are free", () => {
  expect(totalCost({ ...stateWith(null, 3), simulated: true })).toBe(3);
});
