import { expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../../src/kit/app-error.ts";
import { redact } from "../../../src/kit/secrets/redact.ts";
import { SecretRegistry } from "../../../src/kit/secrets/secret-registry.ts";

const secrets = new SecretRegistry();
secrets.add("91735500271");
const plain = (value: unknown) => JSON.parse(JSON.stringify(redact(value, secrets) ?? null)) as unknown;

test("a value under a secret name is masked at any depth", () => {
  expect(
    plain({ a: [{ headers: new Headers({ cookie: "a=1", accept: "x" }), password: { deep: 1 } }] }),
  ).toEqual({
    a: [{ headers: { cookie: "[redacted]", accept: "x" }, password: "[redacted]" }],
  });
  expect(plain({ token: null, secret: true, pwd: 1234 })).toEqual({
    token: null,
    secret: true,
    pwd: "[redacted]",
  });
});

test("values become plain JSON", () => {
  expect(
    plain({
      at: new Date(0),
      map: new Map([["a", 1]]),
      set: new Set([1]),
      url: new URL("http://u:p@h/x"),
      bytes: new Uint8Array(3),
      big: 12n,
      nan: Number.NaN,
      fn: () => 1,
    }),
  ).toEqual({
    at: "1970-01-01T00:00:00.000Z",
    map: { a: 1 },
    set: [1],
    url: "http://[redacted]@h/x",
    bytes: "[3 bytes]",
    big: "12",
    nan: "NaN",
  });
});

test("numbers are looked at as well", () => {
  expect(plain([4111111111111111, 91735500271, 1767225600000, 12.5])).toEqual([
    "[card]",
    "[redacted]",
    1767225600000,
    12.5,
  ]);
});

test("an error is expanded, its causes too, and what it carries is masked", () => {
  const cause = Object.assign(new Error("connect redis://:pw@h"), { code: "ECONNREFUSED" });
  const error = new AppError("unavailable", "store_down", "The store is down.", { cause });
  expect(plain({ err: error })).toMatchObject({
    err: {
      type: "AppError",
      kind: "unavailable",
      code: "store_down",
      message: "The store is down.",
      cause: { type: "Error", message: "connect redis://[redacted]@h", code: "ECONNREFUSED" },
    },
  });
});

test("a database error shows its query without the parameters", () => {
  const error = Object.assign(new Error("Failed query: select $1\nparams: Ana"), {
    query: "select $1",
    params: ["Ana"],
  });
  const text = JSON.stringify(plain({ err: error }));
  expect(text).toContain("select $1");
  expect(text).not.toContain("Ana");
});

test("size and depth are bounded, cycles included", () => {
  const cycle: Record<string, unknown> = { list: Array.from({ length: 100_000 }, (_, i) => ({ i })) };
  cycle.self = cycle;
  expect(JSON.stringify(plain(cycle)).length).toBeLessThan(20_000);
  expect(JSON.stringify(plain({ text: "x".repeat(1_000_000) })).length).toBeLessThan(10_000);
});

test("a known secret at the cut of a long text is masked whole", () => {
  const text = `${"x".repeat(8190)}91735500271`;
  expect(JSON.stringify(plain({ text }))).not.toContain("917");
});

test("a known secret in a text by itself is masked", () => {
  expect(JSON.stringify(plain("the code 91735500271"))).not.toContain("91735500271");
});

test("an unreadable object is reported, not thrown", () => {
  const trap = {
    get boom(): string {
      throw new Error("boom");
    },
  };
  expect(plain({ trap })).toEqual({ trap: "[unreadable]" });
});

test("any value is copied without a throw, and a key named __proto__ sets no prototype", () => {
  fc.assert(
    fc.property(fc.object({ withDate: true, withMap: true, withSet: true, withBigInt: true }), (value) => {
      JSON.stringify(redact(value, secrets));
    }),
  );
  const copy = redact(JSON.parse('{"__proto__":{"isAdmin":true}}'), secrets) as { isAdmin?: boolean };
  expect(copy.isAdmin).toBeUndefined();
});
