import { describe, expect, test } from "bun:test";
import { contextShares } from "../../../../../src/console/studio/memory/context/context-shares.ts";
import type { ContextPart } from "../../../../../src/contracts/daemon/memory/context-window.ts";

const part = (kind: ContextPart["kind"], tokens: number, more: Partial<ContextPart> = {}): ContextPart => ({
  kind,
  role: "user",
  text: "",
  characters: 0,
  tokens,
  ...more,
});

describe("sharing a context window out", () => {
  test("parts are grouped in the order of the window, with their shares", () => {
    const groups = contextShares({
      parts: [
        part("query", 10),
        part("turn", 20),
        part("turn", 10),
        part("system", 40),
        part("episodes", 20),
      ],
    });
    expect(groups.map(({ name, tokens, share }) => [name, tokens, share])).toEqual([
      ["system", 40, 0.4],
      ["turns", 30, 0.3],
      ["recalled", 20, 0.2],
      ["query", 10, 0.1],
    ]);
  });

  test("a part within another one is shown, and counted there alone", () => {
    const groups = contextShares({ parts: [part("system", 60), part("tool", 40, { within: "system" })] });
    expect(groups.map(({ name, tokens, share, parts }) => [name, tokens, share, parts.length])).toEqual([
      ["system", 60, 1, 1],
      ["tools", 0, 0, 1],
    ]);
  });

  test("nothing has no shares", () => {
    expect(contextShares({ parts: [] })).toEqual([]);
    expect(contextShares({ parts: [part("query", 0)] })[0]?.share).toBe(0);
  });
});
