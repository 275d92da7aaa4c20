import { expect, test } from "bun:test";
import { mayOpen } from "../../../src/console/area.ts";
import { gatewayArea } from "../../../src/console/gateway/gateway-area.ts";
import { deskOf } from "../../../src/console/gateway/use-gateway.ts";
import type { SignedInAs } from "../../../src/contracts/console/session.ts";

const nobody: SignedInAs = { daemon: false, operator: false, local: false };
const shops = [
  { id: "t1", name: "Tea shop", role: "desk" as const },
  { id: "t2", name: "Cup shop", role: "admin" as const },
];

test("a person sees the tenant that they chose, or else the first of theirs", () => {
  expect(deskOf({ ...nobody, desk: shops }, "t2")?.id).toBe("t2");
  expect(deskOf({ ...nobody, desk: shops }, "t3")?.id).toBe("t1");
  expect(deskOf({ ...nobody, desk: shops }, null)?.id).toBe("t1");
});

test("the gateway's operator sees all tenants, whatever they are a member of", () => {
  expect(deskOf({ ...nobody, gateway: true, desk: shops }, "t2")).toBeUndefined();
  expect(deskOf(nobody, null)).toBeUndefined();
});

test("a tenant's desk opens the pages of its work, and no other of the gateway", () => {
  const opened = (signedIn: SignedInAs) =>
    gatewayArea.pages.filter((page) => mayOpen(gatewayArea, page, signedIn)).map(({ path }) => path);
  expect(opened(nobody)).toEqual([]);
  expect(opened({ ...nobody, gateway: true })).toHaveLength(gatewayArea.pages.length);
  expect(opened({ ...nobody, desk: shops })).toEqual([
    "/gateway",
    "/gateway/inbox",
    "/gateway/contacts",
    "/gateway/contacts/:id",
    "/gateway/reports",
    "/gateway/outbox",
    "/gateway/trail",
  ]);
});
