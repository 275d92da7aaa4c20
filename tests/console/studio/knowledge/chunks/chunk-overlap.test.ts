import { describe, expect, test } from "bun:test";
import {
  joinChunks,
  shareChunks,
  splitAt,
} from "../../../../../src/console/studio/knowledge/chunks/chunk-overlap.ts";

const chunk = (number: number, start: number, text: string) => ({
  chunk: number,
  text,
  start,
  end: start + [...text].length,
});

describe("what chunks share", () => {
  test("the text that both ends one chunk and begins the next", () => {
    const shared = shareChunks([chunk(0, 0, "abcdef"), chunk(1, 4, "efgh"), chunk(2, 8, "ij")]);
    expect(shared.map(({ shared, head, rest }) => [shared, head, rest])).toEqual([
      [0, "", "abcdef"],
      [2, "ef", "gh"],
      [0, "", "ij"],
    ]);
  });

  test("positions count characters, not halves of them", () => {
    const [, second] = shareChunks([chunk(0, 0, "😀😁😂"), chunk(1, 2, "😂😃")]);
    expect(second).toMatchObject({ shared: 1, head: "😂", rest: "😃" });
  });

  test("a chunk within the one before is shared whole", () => {
    expect(shareChunks([chunk(0, 0, "abcdef"), chunk(1, 2, "cd")])[1]).toMatchObject({ shared: 2, rest: "" });
  });
});

describe("the text of chunks", () => {
  test("overlaps once, gaps as spaces", () => {
    expect(joinChunks([chunk(0, 0, "abcd"), chunk(1, 2, "cdef"), chunk(2, 8, "ij")])).toBe("abcdef  ij");
    expect(joinChunks([chunk(3, 40, "later")])).toBe("later");
    expect(joinChunks([])).toBe("");
  });

  test("a place in it, with what is around", () => {
    expect(splitAt("a😀bcd", 1, 3)).toEqual(["a", "😀b", "cd"]);
    expect(splitAt("abc", -1, 9)).toEqual(["", "abc", ""]);
  });
});
