import { expect, test } from "bun:test";
import fc from "fast-check";
import { watchStops } from "../../../../../src/engine/models/providers/onnx/stop-watch.ts";

function through(stops: string[], pieces: readonly string[]): { text: string; stopped: boolean } {
  const watch = watchStops(stops);
  const text = pieces.map((piece) => watch.take(piece)).join("") + watch.rest();
  return { text, stopped: watch.stopped };
}

test.each<[string[], string[], string, boolean]>([
  [[], ["a", "b"], "ab", false],
  [[""], ["a", "b"], "ab", false],
  [["END"], ["oneEND", "two"], "one", true],
  [["END"], ["one E", "N", "D two"], "one ", true],
  [["END"], ["one E", "N"], "one EN", false],
  [["\nuser:", "##"], ["hi\n", "us", "er: you"], "hi", true],
  [["bb", "ab"], ["aab"], "a", true],
])("stops %j in %j", (stops, pieces, text, stopped) => {
  expect(through(stops, pieces)).toEqual({ text, stopped });
});

test("however a text is cut, what comes through is what stands before the first stop", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "ñ"), maxLength: 20 });
  const stop = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), fc.array(stop, { maxLength: 3 }), (pieces, stops) => {
      const whole = pieces.join("");
      const ends = stops.map((word) => whole.indexOf(word)).filter((end) => end !== -1);
      expect(through(stops, pieces)).toEqual({
        text: whole.slice(0, Math.min(whole.length, ...ends)),
        stopped: ends.length > 0,
      });
    }),
  );
});
