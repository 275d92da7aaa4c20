import { afterEach, beforeEach, expect, test } from "bun:test";
import { keepVendor, takeVendorReturn } from "../../../src/console/session/vendor-return.ts";

const shown: string[] = [];

function openAt(address: string): void {
  const kept = new Map<string, string>();
  Object.assign(globalThis, {
    location: new URL(address, "http://localhost:8082"),
    history: { state: null, replaceState: (_: unknown, __: string, to: string) => shown.push(to) },
    sessionStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    },
  });
}

beforeEach(() => void shown.splice(0));
afterEach(() => {
  for (const name of ["location", "history", "sessionStorage"]) Reflect.deleteProperty(globalThis, name);
});

test("the return from a vendor's page is taken once, and leaves no code in the address", () => {
  openAt("/cloud/sign-in?code=c1&state=s1");
  keepVendor("s1", "github");
  expect(takeVendorReturn()).toEqual({ vendor: "github", code: "c1", state: "s1" });
  expect(shown).toEqual(["/cloud/sign-in"]);
  expect(takeVendorReturn()).toBeUndefined();
});

test("a state that this window did not send signs nobody in", () => {
  openAt("/cloud/sign-in?code=of-somebody-else&state=s2");
  keepVendor("s1", "google");
  expect(takeVendorReturn()).toBeUndefined();
});

test("a refusal of the vendor is told, and other pages are left alone", () => {
  openAt("/cloud/sign-in?error=access_denied&state=s1");
  keepVendor("s1", "google");
  expect(takeVendorReturn()).toEqual({ refusal: "access_denied" });
  openAt("/studio/mcp?code=c1&state=s1");
  keepVendor("s1", "google");
  expect(takeVendorReturn()).toBeUndefined();
  expect(shown).toEqual(["/cloud/sign-in"]);
});
