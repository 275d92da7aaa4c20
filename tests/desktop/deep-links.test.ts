import { expect, test } from "bun:test";
import { pathInArguments, pathOfDeepLink } from "../../desktop/src/deep-links.ts";

test.each([
  ["argosy://home", "/studio"],
  ["argosy://agents", "/studio/agents"],
  ["argosy://agents/", "/studio/agents"],
  ["argosy://agents/support-desk", "/studio/agents/support-desk"],
  ["argosy://approvals", "/studio/approvals"],
  ["argosy://traces/0198c7d2-41aa-7", "/studio/traces/0198c7d2-41aa-7"],
])("%s opens %s", (link, path) => {
  expect(pathOfDeepLink(link)).toBe(path);
});

test.each([
  "argosy://agents/../approvals",
  "argosy://agents/%2e%2e",
  "argosy://agents/support/edit",
  "argosy://agents/support?x=1",
  "argosy://agents/support#open=token",
  "argosy://approvals/some-id",
  "argosy://constructor",
  "argosy://AGENTS",
  "argosy:agents",
  "argosy:///studio",
  "argosy://evil.example/agents",
  "argosy://agents@evil.example",
  `argosy://agents/${"a".repeat(129)}`,
  "argosy://agents/a\n",
  "https://agents/support",
  "javascript:alert(1)",
  "",
])("%p opens nothing", (link) => {
  expect(pathOfDeepLink(link)).toBeUndefined();
});

test("the link is found among the arguments of a process", () => {
  expect(pathInArguments(["argosy", "--no-sandbox", "argosy://models"])).toBe("/studio/models");
  expect(pathInArguments(["argosy", "argosy://nowhere", "argosy://models"])).toBeUndefined();
  expect(pathInArguments(["argosy", "/home/a/argosy"])).toBeUndefined();
});
