import { expect, test } from "bun:test";
import { join } from "node:path";
import { rotateLocalSecrets } from "../../../src/compose/settings/secrets/effective-secrets.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

test.each([
  ["a shared database", { databaseUrl: "postgres://host/db", secrets: { generate: true } }],
  ["a variable", { secrets: { generate: true, sealingKeys: "k1:x" } }],
])("keys of %s are changed in two rounds on several nodes", (_, given) => {
  using folder = temporaryFolder();
  const config = { dataFolder: join(folder.path, "data"), ...given };
  let thrown: unknown;
  try {
    rotateLocalSecrets(config, ["sealing_keys"]);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(AppError);
  const { code, details } = thrown as AppError;
  expect(code).toBe("secrets_elsewhere");
  // A node that doesn't know a key can't open what others seal with it, so all must know it before one uses it.
  const hint = details.hint ?? "";
  const [append, first] = [
    hint.indexOf("append it after the old one on all nodes"),
    hint.indexOf("then put it first"),
  ];
  expect(append).toBeGreaterThan(-1);
  expect(first).toBeGreaterThan(append);
});
