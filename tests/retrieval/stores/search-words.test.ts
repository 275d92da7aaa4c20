import { expect, test } from "bun:test";
import { searchWords, wordCounts } from "../../../src/retrieval/stores/search-words.ts";

test.each([
  ["The quick, brown FOX!", ["the", "quick", "brown", "fox"]],
  ["snake_case kebab-case 3.14", ["snake_case", "kebab", "case", "3", "14"]],
  ["Straße ＦＵＬＬ ﬁne", ["straße", "full", "fine"]],
  ["東京都 タワー 犬", ["東京", "京都", "タワ", "ワー", "犬"]],
  ["\0 ' \" ; -- \u200b", []],
  ["", []],
])("%j has the words %j", (text, words) => {
  expect([...searchWords(text)]).toEqual(words);
});

test("a word without end is cut, the same in texts and questions", () => {
  expect([...searchWords("x".repeat(10_000))]).toEqual(["x".repeat(64)]);
  expect([...searchWords("𝒳".repeat(100))].every((word) => word.isWellFormed())).toBe(true);
});

test("words are counted, so many at most", () => {
  expect([...wordCounts("a b a c a", 2)]).toEqual([
    ["a", 3],
    ["b", 1],
  ]);
});
