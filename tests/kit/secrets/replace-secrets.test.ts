import { expect, test } from "bun:test";
import fc from "fast-check";
import { replaceSecretsIn } from "../../../src/kit/secrets/redact-text.ts";

const hide = (text: string) => replaceSecretsIn(text, () => "[redacted]");

test.each([
  ["nothing in it", "nothing in it"],
  ["card 4111 1111 1111 1111 of ann@example.com", "card 4111 1111 1111 1111 of ann@example.com"],
  ['{"token":"abc 123","b":1}', '{"token":"[redacted]","b":1}'],
  ["authorization: Bearer abc.def", "authorization: Bearer [redacted]"],
  ["password = 'x y'", "password = '[redacted]'"],
  ["https://me:pw@host/db", "https://[redacted]@host/db"],
  ["use sk-aaaaaaaaaaaaaaaaaaaa.", "use [redacted]."],
  ['"token":"[redacted]"', '"token":"[redacted]"'],
])("%s", (text, hidden) => {
  expect(hide(text)).toBe(hidden);
  expect(hide(hidden)).toBe(hidden);
});

test("each secret is reported by itself, without the text around it", () => {
  const found: string[] = [];
  const text = 'key: "one-1" and authorization: Basic dHdvOnR3bw== and https://x.test/?code=three';
  const same = replaceSecretsIn(text, (secret) => {
    found.push(secret);
    return secret;
  });
  expect(same).toBe(text);
  expect(found).toEqual(expect.arrayContaining(["one-1", "dHdvOnR3bw==", "three"]));
});

test("what is JSON stays JSON", () => {
  const name = fc.constantFrom("token", "api_key", "password", "note", "cookie");
  const value = fc.oneof(fc.string(), fc.constantFrom("abc123DEF", "Bearer x1y2z3", 'a"b', "https://u:p@h"));
  fc.assert(
    fc.property(fc.dictionary(name, value), (object) => {
      expect(() => JSON.parse(hide(JSON.stringify(object)))).not.toThrow();
    }),
    { numRuns: 1000 },
  );
});
