import { expect, spyOn, test } from "bun:test";
import { createPasswords } from "../../../../src/services/platform/auth/passwords.ts";

test("passwords are hashed with argon2id and a salt of their own, and found again", async () => {
  const passwords = createPasswords();
  const [one, two] = await Promise.all([passwords.hash("correct horse"), passwords.hash("correct horse")]);
  expect(one).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(one).not.toBe(two);
  expect(await passwords.verify("correct horse", one)).toBe(true);
  expect(await passwords.verify("correct  horse", one)).toBe(false);
  expect(await passwords.verify("correct horse", undefined)).toBe(false);
  expect(await passwords.verify("", undefined)).toBe(false);
});

/** A hash of "x" that takes a thousandth of the work to compare, where many comparisons wait for their turn. */
const cheapHash = () => Bun.password.hash("x", { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });

test("what comes above the bound is refused at once, and what was taken in is answered", async () => {
  const passwords = createPasswords();
  const hash = await cheapHash();
  const answers = await Promise.allSettled(
    Array.from({ length: 2 + 256 + 20 }, () => passwords.verify("x", hash)),
  );
  const refused = answers.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(20);
  for (const { reason } of refused as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ kind: "unavailable", code: "too_busy" });
  }
});

test("an account that isn't there costs one comparison with the parameters of all others", async () => {
  const passwords = createPasswords();
  const parametersOf = (hash: string) => hash.split("$").slice(0, 4);
  const made = await passwords.hash("x");
  using verify = spyOn(Bun.password, "verify");
  await passwords.verify("x", undefined);
  await passwords.verify("x", made);
  const hashes = verify.mock.calls.map(([, hash]) => parametersOf(String(hash)));
  expect(hashes).toEqual([parametersOf(made), parametersOf(made)]);
});

test("a crowd of unknown callers and of new accounts leaves a place for an address that is known", async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash("x");
  const crowd = [
    ...Array.from({ length: 100 }, () => passwords.verify("y", hash)),
    ...Array.from({ length: 20 }, () => passwords.hash("z")),
  ];
  let ended = 0;
  for (const one of crowd) void one.finally(() => ended++);
  expect(await passwords.verify("x", hash, { isKnown: true })).toBe(true);
  expect(ended).toBeLessThan(crowd.length / 2);
  await Promise.all(crowd);
});

test("a caller who left is not hashed for", async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash("x");
  using verify = spyOn(Bun.password, "verify");
  const gone = AbortSignal.abort(new Error("gone"));
  expect(await passwords.verify("x", hash, { signal: gone }).catch((thrown) => thrown.message)).toBe("gone");
  expect(verify).not.toHaveBeenCalled();
});
