import { expect, test } from "bun:test";
import { findPlace } from "../../../../../src/engine/models/providers/rehearsal/places.ts";
import { threadProcessorMs } from "../../../../support/processor-time.ts";

test.each([
  ["how is the weather in New York today", "New York"],
  ["a hotel in Santa Cruz de Tenerife", "Santa Cruz de Tenerife"],
  ["from Rio de Janeiro", "Rio de Janeiro"],
  ["at la Paz", "Paz"],
])("the place in %j is %p", (text, place) => {
  expect(findPlace(text, "in|at")).toBe(place);
});

test.each(["in A", "x in A", "a A", "at the A de"])("%j and 200,000 spaces take linear time", (start) => {
  const before = threadProcessorMs();
  findPlace(`${start}${" ".repeat(200_000)}b`, "in|at");
  expect(threadProcessorMs() - before).toBeLessThan(500);
});
