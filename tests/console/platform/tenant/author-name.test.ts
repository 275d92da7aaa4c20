import { expect, test } from "bun:test";
import { authorName } from "../../../../src/console/platform/tenant/author-name.ts";

test.each([
  ["user:u1", "u1", "you"],
  ["user:u2", "u1", "another person"],
  ["user:u2", undefined, "another person"],
  ["key:0123456789abcdef", "u1", "key 01234567"],
  ["cli", "u1", "cli"],
])("%s, to %s, is %s", (author, person, name) => {
  expect(authorName(author, person)).toBe(name);
});
