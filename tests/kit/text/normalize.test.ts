import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { normalized } from "../../../src/kit/text/normalize.ts";
import { threadProcessorMs } from "../../support/processor-time.ts";

test.each(["NFC", "NFD", "NFKC", "NFKD"] as const)(
  "%s is that of the platform for ordinary texts",
  (form) => {
    for (const text of ["", "a", "Ångström", "e\u0301\u0323", "ﬁ", "한국어", "שָׁלוֹם", "ｶﾞ"])
      expect(normalized(text, form)).toBe(text.normalize(form));
  },
);

test.each(["\u0323\u0301", "\u0301", "\u0301\u0323\u05b0", "\uff9e\u0323"])(
  "64,000 marks on one letter (%j) take linear time, and 30 of them stay",
  (marks) => {
    const before = threadProcessorMs();
    const text = normalized(`a${marks.repeat(32_000)}b`, "NFKD");
    expect(threadProcessorMs() - before).toBeLessThan(500);
    expect(text).toHaveLength(32);
  },
);

test("no other code normalizes texts", () => {
  const root = join(import.meta.dir, "../../../src");
  const others = [...new Glob("**/*.ts").scanSync(root)].filter(
    (file) =>
      !file.startsWith("console/") &&
      file !== "kit/text/normalize.ts" &&
      /\.normalize\("NF/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(others).toEqual([]);
});
