import { expect, test } from "bun:test";
import { pages } from "../../../../src/console/areas.ts";
import { sameForTenant, tenantPaths } from "../../../../src/console/platform/tenant/tenant-paths.ts";

test("every address is that of a page", () => {
  const paths = tenantPaths("t 1");
  const all = [
    paths.agents,
    paths.newAgent,
    paths.agent("a"),
    paths.editAgent("a"),
    paths.run("a"),
    paths.invocation("a", "i"),
    paths.approvals,
    paths.documents,
    paths.collection("c"),
    paths.usage,
    paths.connections,
    paths.keys,
  ];
  const patterns = pages.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`));
  for (const path of all)
    expect(
      patterns.some((pattern) => pattern.test(path)),
      path,
    ).toBe(true);
  expect(paths.run("a", "s&1")).toBe("/platform/t/t%201/agents/a/run?session=s%261");
});

test.each([
  ["/platform/t/one/usage", "/platform/t/two/usage"],
  ["/platform/t/one/agents/helper/run", "/platform/t/two/agents"],
  ["/platform/t/one/documents/handbook", "/platform/t/two/documents"],
  ["/platform/t/agents/keys", "/platform/t/two/keys"],
  ["/platform/tenants", "/platform/t/two/agents"],
])("from %s another tenant is at %s", (location, expected) => {
  expect(sameForTenant(location, "two")).toBe(expected);
});
