import { expect, test } from "bun:test";
import { tenantsNamed } from "../../../src/contracts/platform/tenant-named.ts";

const tenants = [
  { id: "1", crName: "tea-shop-a", displayName: "Tea shop" },
  { id: "2", crName: "tea-shop-b", displayName: "Tea shop" },
  { id: "3", crName: "bike-shop", displayName: "1" },
  { id: "4", crName: "old" },
];

test.each([
  ["1", ["1"]],
  ["tea-shop-b", ["2"]],
  ["Tea shop", ["1", "2"]],
  ["old", ["4"]],
  ["tea shop", []],
  ["", []],
])("%j names the tenants %j: an id or a name goes before a display name", (wanted, ids) => {
  expect(tenantsNamed(tenants, wanted).map(({ id }) => id)).toEqual(ids);
});
