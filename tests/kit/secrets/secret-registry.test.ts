import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SecretRegistry } from "../../../src/kit/secrets/secret-registry.ts";

function registryOf(...secrets: string[]): SecretRegistry {
  const registry = new SecretRegistry();
  for (const secret of secrets) registry.add(secret);
  return registry;
}

describe("mask", () => {
  const secret = 'p@ss "w/ö+r~d"';
  const forms: [name: string, form: string][] = [
    ["as it is", secret],
    ["in JSON", JSON.stringify(secret).slice(1, -1)],
    ["URL-encoded", encodeURIComponent(secret)],
    ["URL-encoded in lower case", encodeURIComponent(secret).replaceAll(/%../g, (hex) => hex.toLowerCase())],
    ["URL-encoded twice", encodeURIComponent(encodeURIComponent(secret))],
    ["URL-encoded where it must be", encodeURI(secret)],
    ["in JSON inside of JSON", JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    ["in JSON with other escapes", JSON.stringify(secret).slice(1, -1).replace("/", "\\/")],
    ["in JSON of ASCII alone", JSON.stringify(secret).slice(1, -1).replace("ö", "\\u00f6")],
    ["in markup", secret.replaceAll('"', "&quot;")],
    ["in hexadecimal digits", Buffer.from(secret).toString("hex")],
    ["in great hexadecimal digits", Buffer.from(secret).toString("hex").toUpperCase()],
    ["as a form writes it", new URLSearchParams({ a: secret }).toString().slice(2)],
    ["form-encoded", encodeURIComponent(secret).replaceAll("%20", "+")],
  ];
  test.each(forms)("a secret %s", (_name, form) => {
    expect(registryOf(secret).mask(`a ${form} b ${form}`)).toBe("a [redacted] b [redacted]");
  });

  test("a secret inside base64, with any text beside it", () => {
    const text = fc.string({ maxLength: 9 });
    fc.assert(
      fc.property(text, text, fc.constantFrom("base64", "base64url"), (before, after, alphabet) => {
        const encoded = Buffer.from(before + secret + after).toString(alphabet as BufferEncoding);
        const masked = registryOf(secret).mask(encoded);
        expect(masked).toContain("[redacted]");
        expect(Buffer.from(masked, "base64").includes(secret.slice(1, -1))).toBeFalse();
      }),
    );
  });

  test("any number of secrets, in any text", () => {
    const secrets = fc.array(fc.stringMatching(/^[ab]{6,9}$/), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(secrets, fc.stringMatching(/^[abc]*$/), (known, text) => {
        const masked = registryOf(...known).mask(text);
        for (const secret of known) expect(masked).not.toContain(secret);
        if (!known.some((secret) => text.includes(secret))) expect(masked).toBe(text);
      }),
    );
  });

  test("of two secrets that begin alike, the longer one goes whole", () => {
    expect(registryOf("abcdef", "abcdefghij").mask("xabcdefghijx")).toBe("x[redacted]x");
  });

  test("values too short to differ from words are not masked", () => {
    expect(registryOf("", "agent").mask("agent")).toBe("agent");
  });
});

test("masks the longest of thousands of secrets that begin in the same way", () => {
  const secrets = new SecretRegistry();
  const start = "a".repeat(40);
  for (let n = 0; n < 2000; n++) secrets.add(start + n.toString(36));
  secrets.add(start);
  expect(secrets.mask(`x ${start}1 y ${start} z ${start}1jj!`)).toBe(
    "x [redacted] y [redacted] z [redacted]!",
  );
  // The number that begins at each position is another one, so nothing but the start is a secret.
  expect(secrets.mask(`${"a".repeat(39)}b`)).toBe(`${"a".repeat(39)}b`);
});

test("masks like a search for each form, longest first", () => {
  const letter = fc.constantFrom("a", "b");
  const word = fc.array(letter, { minLength: 6, maxLength: 9 }).map((letters) => letters.join(""));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(letter, { maxLength: 60 }), (known, letters) => {
      const secrets = new SecretRegistry();
      for (const secret of known) secrets.add(secret);
      const text = letters.join("");
      let expected = "";
      for (let at = 0; at < text.length; ) {
        const found = known
          .filter((secret) => text.startsWith(secret, at))
          .reduce((longest, secret) => Math.max(longest, secret.length), 0);
        expected += found === 0 ? text[at] : "[redacted]";
        at += Math.max(1, found);
      }
      expect(secrets.mask(text)).toBe(expected);
    }),
  );
});
