import { expect, test } from "bun:test";
import fc from "fast-check";
import { estimateRequestTokens, estimateTokens } from "../../../src/engine/models/token-count.ts";
import { requestOf } from "../../support/scripted-model.ts";

test.each([
  ["", 0, 0],
  ["The quick brown fox jumps over the lazy dog.", 10, 12],
  ['{"name":"datetime_now","timezone":"Europe/Berlin"}', 12, 17],
  ["東京の天気は晴れです。", 7, 12],
])("%p is estimated between %p and %p", (text, from, to) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(from);
  expect(estimateTokens(text)).toBeLessThanOrEqual(to);
});

test("a longer text never counts less, and parts never less than the whole", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      const whole = estimateTokens(a + b);
      expect(whole).toBeGreaterThanOrEqual(Math.max(estimateTokens(a), estimateTokens(b)));
      expect(whole).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b));
    }),
  );
});

test("a request counts its messages, their tool calls and its tools", () => {
  const plain = estimateRequestTokens(requestOf("hello"));
  const tool = { name: "t", description: "does something", parameters: { type: "object" } };
  expect(estimateRequestTokens(requestOf("hello", { tools: [tool] }))).toBeGreaterThan(plain + 5);
  const called = requestOf("hello", {
    messages: [{ role: "assistant", content: "hello", toolCalls: [{ id: "1", name: "t", input: { a: 1 } }] }],
  });
  expect(estimateRequestTokens(called)).toBeGreaterThan(plain + 5);
  const thoughts = { of: "p/m", content: { thinking: "many thoughts that go back to the model" } };
  const echoed = requestOf("hello", {
    messages: [{ role: "assistant", content: "hello", echo: thoughts }],
  });
  expect(estimateRequestTokens(echoed)).toBeGreaterThan(plain + 5);
});
