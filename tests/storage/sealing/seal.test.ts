import { expect, test } from "bun:test";
import fc from "fast-check";
import { generateKey, type RingKey } from "../../../src/storage/sealing/key-ring.ts";
import { createSealer } from "../../../src/storage/sealing/seal.ts";
import { refusal } from "../../support/refusal.ts";

const named = (kid: string): RingKey => ({ ...generateKey(), kid });
const context = { purpose: "connections", tenant: "t1", name: "crm" };

test("any secret opens where it was sealed, and no two boxes are alike", () => {
  const sealer = createSealer([generateKey()]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), fc.string(), (secret, tenant, name) => {
      const where = { purpose: "p", tenant, name };
      const sealed = sealer.seal(secret, where);
      expect(sealer.open(sealed, where)).toBe(secret);
      expect(sealer.seal(secret, where)).not.toBe(sealed);
    }),
  );
});

test("the box has its documented form and shows nothing of the secret", () => {
  const sealed = createSealer([named("k1")]).seal("hunter2-hunter2", context);
  expect(sealed).toMatch(/^v1\.k1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{42}$/);
  expect(Buffer.from(sealed.split(".")[3] ?? "", "base64url").toString("latin1")).not.toContain("hunter2");
});

test("a box that was moved, changed or sealed by another key under the same id stays shut", async () => {
  const key = named("k1");
  const sealer = createSealer([key]);
  const sealed = sealer.seal("secret", context);
  const elsewhere = [
    { ...context, tenant: "t2" },
    { ...context, name: "crm2" },
    { ...context, purpose: "other" },
    { purpose: "connections", tenant: "t1|crm", name: "" },
    { purpose: "connections", tenant: "", name: "t1crm" },
  ];
  for (const where of elsewhere)
    expect((await refusal(() => sealer.open(sealed, where))).code).toBe("seal_broken");
  expect((await refusal(() => createSealer([named("k1")]).open(sealed, context))).code).toBe("seal_broken");

  const parts = sealed.split(".");
  const flipped = (at: number) =>
    parts
      .map((part, index) => (index === at ? (part.startsWith("A") ? "B" : "A") + part.slice(1) : part))
      .join(".");
  const malformed = [
    "",
    "v1",
    "v2.k1.a.b",
    "v1.k1..",
    sealed.slice(0, -1),
    `${sealed}.x`,
    `v1.k1.${parts[2]}.`,
    flipped(2),
    flipped(3),
  ];
  for (const box of malformed)
    expect((await refusal(() => sealer.open(box, context))).code).toBe("seal_broken");
});

test("a truncated tag is refused", async () => {
  const sealer = createSealer([named("k1")]);
  const [version, kid, nonce, box = ""] = sealer.seal("", context).split(".");
  const short = Buffer.from(box, "base64url").subarray(0, 12).toString("base64url");
  expect((await refusal(() => sealer.open([version, kid, nonce, short].join("."), context))).code).toBe(
    "seal_broken",
  );
});

test("rotation: old keys open, and the first seals", async () => {
  const [old, fresh] = [named("old"), named("fresh")];
  const sealed = createSealer([old]).seal("secret", context);
  const rotated = createSealer([fresh, old]);
  expect(rotated.open(sealed, context)).toBe("secret");
  expect(rotated.seal("secret", context)).toStartWith("v1.fresh.");
  const error = await refusal(() => createSealer([fresh]).open(sealed, context));
  expect(error).toMatchObject({ code: "seal_unknown_key", details: { facts: { kid: "old" } } });
});
