import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isBelow, pathBelow } from "../../../../../src/engine/tools/network/request/path-below.ts";

const base = "https://erp.example/api/v2";

test.each([
  ["/orders", "https://erp.example/api/v2/orders"],
  ["orders/7?limit=5&next=%2F..%2Fx#top", "https://erp.example/api/v2/orders/7?limit=5&next=%2F..%2Fx"],
  ["", "https://erp.example/api/v2"],
  ["/", "https://erp.example/api/v2/"],
  ["?a=//b", "https://erp.example/api/v2?a=//b"],
  ["/a%2Fb/c.d/..e/f..", "https://erp.example/api/v2/a%2Fb/c.d/..e/f.."],
  ["/a@b:c/d", "https://erp.example/api/v2/a@b:c/d"],
  ["/größe/%E2%82%AC", "https://erp.example/api/v2/gr%C3%B6%C3%9Fe/%E2%82%AC"],
])("%j is below", (path, url) => {
  expect(pathBelow(base, path)).toEqual({ url });
});

test("a base address may end with a slash, or be a bare host", () => {
  expect(pathBelow("https://erp.example/api/", "/a")).toEqual({ url: "https://erp.example/api/a" });
  expect(pathBelow("https://erp.example/api/", "")).toEqual({ url: "https://erp.example/api/" });
  expect(pathBelow("http://127.0.0.1:9", "a")).toEqual({ url: "http://127.0.0.1:9/a" });
  expect(pathBelow("http://127.0.0.1:9", "")).toEqual({ url: "http://127.0.0.1:9/" });
});

/** Ways out of the folder, to another host or to another scheme, and their spellings. */
const escapes = [
  "..",
  "/..",
  "/../admin",
  "/orders/../../admin",
  "/./orders",
  "/orders/..",
  "/%2e%2e/admin",
  "/.%2E/admin",
  "/%2e./admin",
  "/a%2f..%2f..%2fadmin",
  "/%252e%252e/admin",
  "/%25252e%25252e%2fadmin",
  "/%252525252e%252525252e/admin",
  "/..;/admin",
  "/..;a=b/admin",
  "/%2e%2e%3b/admin",
  "/. ./..%20/admin",
  "/．．/admin",
  "/%EF%BC%8E%EF%BC%8E/admin",
  "/..／admin",
  "/%c0%ae%c0%ae/admin",
  "/%zz",
  "/%",
  "\\..\\admin",
  "/..\\admin",
  "/a%5c..%5cadmin",
  "/a%255c..",
  "//evil.example/x",
  "///evil.example",
  "/%2fevil.example",
  "/\\evil.example",
  "https://evil.example/x",
  "HTTP://erp.example/api/v2/orders",
  "http:orders",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "/a\nb",
  "/a\tb",
  "\t//evil.example",
  "/a%00b",
  "/a%0d%0aHost: evil",
  `/${"a".repeat(5000)}`,
];

test.each(escapes)("%j is refused", (path) => {
  expect(pathBelow(base, path)).toEqual({ fault: expect.any(String) });
});

test("no path leads out, for any pieces", () => {
  const pieces = [
    "..",
    ".",
    "/",
    "//",
    "\\",
    "%2e",
    "%2F",
    "%5c",
    "%25",
    ";",
    "a",
    "@",
    ":",
    "http:",
    "?",
    "#",
    " ",
    "．",
  ];
  const paths = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(paths, (path) => {
      const below = pathBelow(base, path);
      if ("fault" in below) return;
      const { origin, pathname } = new URL(below.url);
      expect(origin).toBe("https://erp.example");
      expect(pathname === "/api/v2" || pathname.startsWith("/api/v2/")).toBe(true);
      for (let text = pathname, i = 0; i < 6; i++) {
        expect(text.split(/[/\\]/).some((segment) => /^\.\.?(;.*)?$/.test(segment))).toBe(false);
        try {
          text = decodeURIComponent(text);
        } catch {
          break;
        }
      }
    }),
    { seed: 7, numRuns: 3000 },
  );
});

describe("an address below a base address", () => {
  test.each<[url: string, base: string]>([
    ["https://api.test/v1", "https://api.test/v1"],
    ["https://api.test/v1/", "https://api.test/v1"],
    ["https://api.test/v1/orders?x=/../..#y", "https://api.test/v1"],
    ["https://api.test/v1/orders", "https://api.test/v1/"],
    ["https://API.test:443/v1/a/../orders", "https://api.TEST/v1"],
    ["http://api.test:80/anything", "http://api.test"],
    ["https://api.test/v1/a%2Fb", "https://api.test/v1"],
    ["https://api.test/v1/%C3%A9/...", "https://api.test/v1"],
  ])("%s is below %s", (url, base) => {
    expect(isBelow(new URL(url), base)).toBe(true);
  });

  test.each<[url: string, base: string]>([
    ["https://api.test/v10", "https://api.test/v1"],
    ["https://api.test/v1x/orders", "https://api.test/v1"],
    ["https://api.test/V1/orders", "https://api.test/v1"],
    ["https://api.test/v1/../admin", "https://api.test/v1"],
    ["https://api.test/v1/%2e%2e/admin", "https://api.test/v1"],
    ["https://api.test/v1/..%2fadmin", "https://api.test/v1"],
    ["https://api.test/v1/..%5Cadmin", "https://api.test/v1"],
    ["https://api.test/v1/%252e%252e/admin", "https://api.test/v1"],
    ["https://api.test/v1/a%2f..%2f..%2fadmin", "https://api.test/v1"],
    ["https://api.test/v1/..;x=y/admin", "https://api.test/v1"],
    ["https://api.test/v1\\..\\admin", "https://api.test/v1"],
    ["https://api.test/v1//evil.test/x", "https://api.test/v1"],
    ["https://api.test/v1/%ff", "https://api.test/v1"],
    ["http://api.test/v1/orders", "https://api.test/v1"],
    ["https://api.test:8443/v1/orders", "https://api.test/v1"],
    ["https://api.test.evil.test/v1/orders", "https://api.test/v1"],
    ["https://api.test./v1/orders", "https://api.test/v1"],
    ["https://sub.api.test/v1/orders", "https://api.test/v1"],
    ["https://api.test@evil.test/v1/orders", "https://api.test/v1"],
    ["https://user:pass@api.test/v1/orders", "https://api.test/v1"],
    ["https://api.test/v1/orders", "no address"],
  ])("%s is not below %s", (url, base) => {
    expect(isBelow(new URL(url), base)).toBe(false);
  });
});
