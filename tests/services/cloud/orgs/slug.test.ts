import { expect, test } from "bun:test";
import { freeSlug, slugOf } from "../../../../src/services/cloud/orgs/create-org.ts";

test.each([
  ["ada@example.com", "ada"],
  ["Ada.Lovelace+work@example.com", "ada-lovelace-work"],
  ["élan@example.com", "elan"],
  ["Jürgen.Groß@example.com", "jurgen-gro"],
  ["x@example.com", "org-x"],
  ["日本@example.com", "org"],
  [`${"a".repeat(39)}.b@example.com`, "a".repeat(39)],
])("%s begins the org %s", (email, slug) => {
  expect(slugOf(email)).toBe(slug);
});

test("a taken or reserved slug gets a number, within the length", () => {
  expect(freeSlug("ada", new Set(["ada", "ada-2"]))).toBe("ada-3");
  expect(freeSlug("me", new Set())).toBe("me-2");
  const longest = "a".repeat(40);
  expect(freeSlug(longest, new Set([longest]))).toBe(`${"a".repeat(38)}-2`);
});
