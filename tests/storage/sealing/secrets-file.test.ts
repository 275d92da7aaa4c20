import { expect, test } from "bun:test";
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { parseKeyRing } from "../../../src/storage/sealing/key-ring.ts";
import {
  initSecrets,
  maskedSecret,
  readSecrets,
  rotateSecret,
  secretNames,
  secretsPath,
} from "../../../src/storage/sealing/secrets-file.ts";
import { refusal } from "../../support/refusal.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

test("secrets are made once, for this user alone", () => {
  using folder = temporaryFolder();
  expect(readSecrets(folder.path)).toBeUndefined();
  const { secrets, created } = initSecrets(folder.path);
  expect(created).toBe(true);
  expect(statSync(secretsPath(folder.path)).mode & 0o777).toBe(0o600);
  expect(initSecrets(folder.path)).toEqual({ secrets, created: false });
  expect(readSecrets(folder.path)).toEqual(secrets);
  for (const name of secretNames) expect(parseKeyRing(name, secrets[name])).toHaveLength(1);
  expect(new Set(Object.values(secrets)).size).toBe(secretNames.length);
  expect(readdirSync(folder.path)).toEqual(["secrets.json"]);
});

test("rotation puts a new key before the old ones of one ring and leaves the other alone", () => {
  using folder = temporaryFolder();
  const { secrets } = initSecrets(folder.path);
  const rotated = rotateSecret(folder.path, "sealing_keys");
  expect(rotated.jwt_keys).toBe(secrets.jwt_keys);
  expect(rotated.sealing_keys).toEndWith(`,${secrets.sealing_keys}`);
  expect(parseKeyRing("", rotated.sealing_keys)).toHaveLength(2);
  expect(readSecrets(folder.path)).toEqual(rotated);
  expect(statSync(secretsPath(folder.path)).mode & 0o777).toBe(0o600);
});

test("there is nothing to rotate before init", async () => {
  using folder = temporaryFolder();
  expect((await refusal(() => rotateSecret(folder.path, "jwt_keys"))).code).toBe("secrets_missing");
});

test("a masked ring shows ids and no secret", () => {
  using folder = temporaryFolder();
  const { secrets } = initSecrets(folder.path);
  const [key] = parseKeyRing("", secrets.jwt_keys);
  expect(maskedSecret(secrets.jwt_keys)).toBe(`${key.kid}:********`);
});

test("a file that others may read is refused", async () => {
  using folder = temporaryFolder();
  initSecrets(folder.path);
  for (const mode of [0o644, 0o640, 0o604]) {
    chmodSync(secretsPath(folder.path), mode);
    expect((await refusal(() => readSecrets(folder.path))).code).toBe("secrets_file_exposed");
    expect((await refusal(() => initSecrets(folder.path))).code).toBe("secrets_file_exposed");
  }
});

test("a damaged file is refused without showing what it holds", async () => {
  using folder = temporaryFolder();
  const { secrets } = initSecrets(folder.path);
  const canary = secrets.sealing_keys;
  const damaged = [
    "",
    "[]",
    "null",
    `{"sealing_keys": "${canary}"`,
    JSON.stringify({ sealing_keys: canary }),
    JSON.stringify({ ...secrets, jwt_keys: 5 }),
  ];
  for (const text of damaged) {
    writeFileSync(secretsPath(folder.path), text, { mode: 0o600 });
    const error = await refusal(() => readSecrets(folder.path));
    expect(error.code).toBe("secrets_file_invalid");
    expect(Bun.inspect(error)).not.toContain(canary);
  }
  writeFileSync(secretsPath(folder.path), JSON.stringify({ ...secrets, jwt_keys: "k:c2hvcnQ=" }));
  expect((await refusal(() => readSecrets(folder.path))).code).toBe("key_ring_invalid");
});
