import { expect, test } from "bun:test";
import {
  derivedKey,
  formatKeyRing,
  generateKey,
  parseKeyRing,
} from "../../../src/storage/sealing/key-ring.ts";
import { refusal } from "../../support/refusal.ts";

const encoded = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64");

test("a ring reads back as it was written", () => {
  const ring = [generateKey(), generateKey()];
  const text = formatKeyRing(ring);
  expect(parseKeyRing("ARGOSY_SEALING_KEYS", text).map(({ kid }) => kid)).toEqual(ring.map(({ kid }) => kid));
  expect(formatKeyRing(parseKeyRing("ARGOSY_SEALING_KEYS", text))).toBe(text);
  expect(ring[0]?.secret).toHaveLength(32);
});

test("longer secrets, missing padding and spaces between entries are taken", () => {
  const ring = parseKeyRing("X", `a:${encoded(48)} , b:${encoded(32).replaceAll("=", "")}`);
  expect(ring.map(({ kid, secret }) => [kid, secret.length])).toEqual([
    ["a", 48],
    ["b", 32],
  ]);
});

test("a ring that is not one is refused, naming the entry but never the secret", async () => {
  const cases: [string, string][] = [
    ["", "entry 1"],
    [encoded(32), "entry 1"],
    [`:${encoded(32)}`, "entry 1"],
    [`a:${encoded(32)},`, "entry 2"],
    [`a b:${encoded(32)}`, "entry 1"],
    [`a.b:${encoded(32)}`, "entry 1"],
    [`${"k".repeat(33)}:${encoded(32)}`, "entry 1"],
    [`a:${encoded(31)}`, "31 bytes"],
    ["a:", "0 bytes"],
    [`a:${"not base64!".repeat(6)}`, "not base64"],
    [`a:${encoded(32)},a:${encoded(40)}`, "a twice"],
  ];
  for (const [text, names] of cases) {
    const error = await refusal(() => parseKeyRing("ARGOSY_SEALING_KEYS", text));
    expect(error).toMatchObject({ kind: "invalid", code: "key_ring_invalid" });
    expect(error.message).toStartWith("ARGOSY_SEALING_KEYS: ");
    expect(error.message).toContain(names);
    for (const secret of [encoded(31), encoded(32), "not base64!"])
      expect(Bun.inspect(error)).not.toContain(secret.slice(0, 40));
  }
});

test("each purpose has its own key", () => {
  const key = generateKey();
  expect(derivedKey(key, "sealing")).toHaveLength(32);
  expect(derivedKey(key, "sealing")).toEqual(derivedKey(key, "sealing"));
  expect(derivedKey(key, "sealing")).not.toEqual(derivedKey(key, "tickets"));
  expect(derivedKey(key, "sealing")).not.toEqual(key.secret);
});
