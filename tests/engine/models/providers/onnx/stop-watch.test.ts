import { expect, test } from "bun:test";
import fc from "fast-check";
import { watchStops } from "../../../../../src/engine/models/providers/onnx/stop-watch.ts";

function through(stops: string[], pieces: readonly string[]): { text: string; stopped: boolean } {
  const watch = watchStops(stops);
  const text = pieces.map((piece) => watch.take(piece)).join("") + watch.rest();
  return { text, stopped: watch.stopped };
}

/** A naive reference: reads until the text so far ends with a stop sequence, then removes the longest such sequence. */
function letterByLetter(whole: string, stops: readonly string[]): { text: string; stopped: boolean } {
  for (let end = 1; end <= whole.length; end++) {
    const read = whole.slice(0, end);
    const found = stops.filter((stop) => read.endsWith(stop)).map((stop) => stop.length);
    if (found.length > 0) return { text: read.slice(0, end - Math.max(...found)), stopped: true };
  }
  return { text: whole, stopped: false };
}

test.each<[string[], string[], string, boolean]>([
  [[], ["a", "b"], "ab", false],
  [[""], ["a", "b"], "ab", false],
  [["END"], ["oneEND", "two"], "one", true],
  [["END"], ["one E", "N", "D two"], "one ", true],
  [["END"], ["one E", "N"], "one EN", false],
  [["\nuser:", "##"], ["hi\n", "us", "er: you"], "hi", true],
  [["bb", "ab"], ["aab"], "a", true],
  [["abab", "ba"], ["abab"], "a", true],
  [["abab", "ba"], ["ab", "ab"], "a", true],
  [["b", "aab"], ["aa", "b"], "", true],
])("stops %j in %j", (stops, pieces, text, stopped) => {
  expect(through(stops, pieces)).toEqual({ text, stopped });
});

test("however a text is cut, the output ends before the stop text that is complete first", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "ñ"), maxLength: 20 });
  const stop = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), fc.array(stop, { maxLength: 3 }), (pieces, stops) => {
      const whole = pieces.join("");
      expect(through(stops, pieces)).toEqual(letterByLetter(whole, stops));
    }),
  );
});
