import { expect, test } from "bun:test";
import { rememberingSealer } from "../../../src/storage/sealing/remembering-sealer.ts";
import { createSealer } from "../../../src/storage/sealing/seal.ts";

const inner = createSealer([{ kid: "k1", secret: new Uint8Array(32).fill(7) }]);
const context = { purpose: "provider_key", tenant: "ada", name: "openai" };

test("a secret is opened once, and again after 256 others", () => {
  let opened = 0;
  const sealer = rememberingSealer({
    ...inner,
    open(sealed, of) {
      opened++;
      return inner.open(sealed, of);
    },
  });
  const sealed = inner.seal("secret", context);
  for (const _ of [1, 2]) expect(sealer.open(sealed, context)).toBe("secret");
  expect(opened).toBe(1);
  for (let other = 0; other < 256; other++) sealer.open(inner.seal(`s${other}`, context), context);
  expect(sealer.open(sealed, context)).toBe("secret");
  expect(opened).toBe(258);
});

test("a secret that was opened for one tenant stays closed for another", () => {
  const sealer = rememberingSealer(inner);
  const sealed = sealer.seal("secret", context);
  expect(sealer.open(sealed, context)).toBe("secret");
  expect(() => sealer.open(sealed, { ...context, tenant: "eve" })).toThrow("can't be opened");
});
