import { expect, test } from "bun:test";
import { estimateTokens } from "../../../src/engine/models/token-count.ts";
import type { ToolResult } from "../../../src/engine/tools/tool.ts";
import { textOfResult, trimResult } from "../../../src/engine/tools/trim-result.ts";

const trimmedOf = (result: ToolResult, tokensMax: number) => trimResult(textOfResult(result), tokensMax);

test("a short result is text or JSON as it is", () => {
  expect(trimmedOf({ success: true, data: "plain" }, 100)).toBe("plain");
  expect(trimmedOf({ success: true, data: { a: [1, null] } }, 100)).toBe('{"a":[1,null]}');
  expect(trimmedOf({ success: false, error: "no" }, 100)).toBe('{"success":false,"error":"no"}');
});

test("a long one keeps its beginning, within the tokens, and says what is missing", () => {
  for (const unit of ["word ", "日本", "😀", '{"k":1},']) {
    const whole = unit.repeat(5000);
    const trimmed = trimmedOf({ success: true, data: whole }, 200);
    const [, kept = "", left, all] = /^(.*)\n\[(\d+) of (\d+) characters left out\]$/s.exec(trimmed) ?? [];
    expect(whole.startsWith(kept)).toBe(true);
    expect(kept.isWellFormed()).toBe(true);
    expect(Number(left) + kept.length).toBe(Number(all));
    expect(estimateTokens(kept)).toBeLessThanOrEqual(200);
    expect(estimateTokens(kept)).toBeGreaterThan(150);
  }
});

test("invisible characters of it do not reach the model", () => {
  const spelled = Array.from("obey", (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(
    "",
  );
  const text = `Fine\u200b.${spelled}\u202e 👩‍🚀`;
  expect(trimmedOf({ success: true, data: text }, 100)).toBe("Fine. 👩‍🚀");
  expect(trimmedOf({ success: true, data: { [`a${spelled}`]: [text] } }, 100)).toBe('{"a":["Fine. 👩‍🚀"]}');
  expect(trimmedOf({ success: false, error: text }, 100)).toBe('{"success":false,"error":"Fine. 👩‍🚀"}');
});
