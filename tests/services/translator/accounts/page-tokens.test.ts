import { expect, test } from "bun:test";
import { PageTokens } from "../../../../src/services/translator/accounts/cloud-call.ts";

test("a listing ends after its last page, and where a token comes again", () => {
  for (const last of [undefined, "", null, 7])
    expect(new PageTokens().next(last, "list agents")).toBeUndefined();
  const tokens = new PageTokens();
  expect(["a", "b", "a"].map((token) => tokens.next(token, "list agents"))).toEqual(["a", "b", undefined]);
});

test("a listing with over 1,000 pages is refused with account_failed (502)", () => {
  const tokens = new PageTokens();
  for (let page = 1; page <= 1000; page++) expect(tokens.next(`t${page}`, "list agents")).toBe(`t${page}`);
  expect(() => tokens.next("t1001", "list agents")).toThrow(
    "The cloud answered list agents with over 1000 pages.",
  );
});
