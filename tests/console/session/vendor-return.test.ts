import { afterEach, beforeEach, expect, test } from "bun:test";
import { keepVendor, takeVendorReturn } from "../../../src/console/session/vendor-return.ts";

const shown: string[] = [];
const kept = new Map<string, string>();

beforeEach(() => {
  shown.splice(0);
  kept.clear();
  Object.assign(globalThis, {
    history: { state: null, replaceState: (_: unknown, __: string, to: string) => shown.push(to) },
    sessionStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    },
  });
});
afterEach(() => {
  for (const name of ["location", "history", "sessionStorage"]) Reflect.deleteProperty(globalThis, name);
});

const openAt = (address: string) =>
  Object.assign(globalThis, { location: new URL(address, "http://localhost:8082") });

test("the return from a vendor's page is taken once, leads back to the page that asked, and leaves no code in the address", () => {
  openAt("/cloud/o/owner/agents?q=x");
  keepVendor("s1", "github");
  openAt("/cloud/sign-in?code=c1&state=s1");
  expect(takeVendorReturn()).toEqual({ vendor: "github", code: "c1", state: "s1" });
  expect(shown).toEqual(["/cloud/o/owner/agents?q=x"]);
  expect(takeVendorReturn()).toBeUndefined();
  expect(shown.at(-1)).toBe("/cloud/sign-in");
});

test("a state that this window did not send signs in no one", () => {
  openAt("/cloud/sign-in");
  keepVendor("s1", "google");
  openAt("/cloud/sign-in?code=of-somebody-else&state=s2");
  expect(takeVendorReturn()).toBeUndefined();
  expect(shown).toEqual(["/cloud/sign-in"]);
});

test("the vendor's refusal is returned", () => {
  openAt("/cloud/sign-in");
  keepVendor("s1", "google");
  openAt("/cloud/sign-in?error=access_denied&state=s1");
  expect(takeVendorReturn()).toEqual({ refusal: "access_denied" });
  expect(shown).toEqual(["/cloud/sign-in"]);
});

test("code and state of another page are not read", () => {
  openAt("/cloud/sign-in");
  keepVendor("s1", "google");
  openAt("/studio/mcp?code=c1&state=s1");
  expect(takeVendorReturn()).toBeUndefined();
  expect(shown).toEqual([]);
});
