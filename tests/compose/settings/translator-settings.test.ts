import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SettingReader } from "../../../src/compose/settings/setting.ts";
import { readTranslator } from "../../../src/compose/settings/translator-settings.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import type { RuntimeFile } from "../../../src/manifest/files/runtime-file.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

type Accounts = NonNullable<NonNullable<RuntimeFile["spec"]["translator"]>["accounts"]>;

const google: Accounts[string] = {
  provider: "gcp",
  driver: "api",
  project: "shop-prod",
  location: "europe-west4",
  credentials_env: "SHOP_KEY_FILE",
};
const amazon: Accounts[string] = {
  provider: "aws",
  driver: "api",
  region: "eu-central-1",
  credentials_env: "SHOP_AWS",
};

const read = (accounts: Accounts, variables: Record<string, string> = {}) => {
  const reader = new SettingReader({});
  const config = readTranslator(
    reader,
    { spec: { translator: { accounts } } } as RuntimeFile,
    (name) => variables[name],
  );
  reader.finish();
  return config.accounts;
};

function faults(accounts: Accounts, variables: Record<string, string> = {}): string[] {
  try {
    read(accounts, variables);
  } catch (thrown) {
    if (thrown instanceof AppError)
      return (thrown.details.problems ?? []).map(
        ({ path, message }) => `${path.replace("runtime.yaml spec.translator.accounts.", "")} ${message}`,
      );
    throw thrown;
  }
  return [];
}

function keyFile(folder: string, change: object = {}): string {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const path = join(folder, "key.json");
  const key = {
    type: "service_account",
    client_email: "a@b.iam.gserviceaccount.com",
    private_key: privateKey,
    private_key_id: "k1",
    token_uri: "https://oauth2.googleapis.com/token",
    ...change,
  };
  writeFileSync(path, JSON.stringify(key), { mode: 0o600 });
  return path;
}

test("without accounts there is the embedded one", () => {
  expect(read({})).toEqual([{ name: "local", provider: "gcp", driver: "embedded" }]);
});

test("accounts of clouds get their credentials from the variables that they name", () => {
  using folder = temporaryFolder();
  const variables = {
    SHOP_KEY_FILE: keyFile(folder.path),
    SHOP_AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
    SHOP_AWS_SECRET_ACCESS_KEY: "secret",
  };
  expect(read({ prod: google, other: amazon }, variables)).toMatchObject([
    { name: "prod", driver: "api", settings: { project: "shop-prod", key: { privateKeyId: "k1" } } },
    {
      name: "other",
      driver: "api",
      settings: { region: "eu-central-1", accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" },
    },
  ]);
});

test("missing credentials are named, with what to do", () => {
  using folder = temporaryFolder();
  expect(faults({ prod: google })).toEqual([
    "prod.credentials_env names SHOP_KEY_FILE, which isn't set: set it to the path of the service account's key file in JSON",
  ]);
  expect(faults({ prod: google }, { SHOP_KEY_FILE: join(folder.path, "none.json") })).toEqual([
    expect.stringContaining("whose file can't be read"),
  ]);
  expect(
    faults({ prod: google }, { SHOP_KEY_FILE: keyFile(folder.path, { type: "authorized_user" }) }),
  ).toEqual([expect.stringContaining("is not a key of a service account")]);
  const open = keyFile(folder.path);
  chmodSync(open, 0o644);
  expect(faults({ prod: google }, { SHOP_KEY_FILE: open })).toEqual([
    expect.stringContaining("change its mode to 600"),
  ]);
  expect(faults({ other: amazon }, { SHOP_AWS_ACCESS_KEY_ID: "id" })).toEqual([
    "other.credentials_env is SHOP_AWS, but SHOP_AWS_SECRET_ACCESS_KEY isn't set",
  ]);
});

test("keys that an account lacks, or that would be ignored, are faults", () => {
  expect(faults({ a: { provider: "gcp", driver: "api" } })).toEqual(
    ["project", "location", "credentials_env"].map(
      (key) => `a.${key} is needed for an account of gcp with driver api`,
    ),
  );
  expect(
    faults({ a: { provider: "aws", driver: "embedded", region: "eu-central-1", endpoint: "http://x" } }),
  ).toEqual([
    "a.region has no meaning for an account of aws with driver embedded",
    "a.endpoint has no meaning for an account of aws with driver embedded",
  ]);
  expect(
    faults(
      { a: { ...amazon, region: "eu/../x" } },
      { SHOP_AWS_ACCESS_KEY_ID: "id", SHOP_AWS_SECRET_ACCESS_KEY: "s" },
    ),
  ).toEqual(['a.region must have lower-case letters, digits and - only, got "eu/../x"']);
});
