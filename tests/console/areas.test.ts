import { expect, test } from "bun:test";
import { homeOf } from "../../src/console/area.ts";
import { areas } from "../../src/console/areas.ts";

test.each([
  ["the owner by the link, at the daemon", "daemon", true, true, true, "/studio"],
  ["an operator at the daemon", "daemon", true, true, false, "/platform/operator"],
  ["an operator at the platform", "platform", false, true, false, "/platform/operator"],
  ["the owner by the link, at the platform", "platform", true, true, true, "/platform/operator"],
  ["a visitor of the daemon", "daemon", true, false, false, "/studio"],
  ["a person at the platform", "platform", false, false, false, "/platform"],
  ["a person without the daemon", "daemon", false, false, false, "/platform"],
] as const)("%s begins at the right page", (_who, home, daemon, operator, local, expected) => {
  expect(homeOf(areas, home, { daemon, operator, local })).toBe(expected);
});
