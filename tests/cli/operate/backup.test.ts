import { expect, test } from "bun:test";
import type { MadeBackup } from "../../../src/command/backup/make-backup.ts";
import { configWith, say } from "../recording-shell.ts";

const made: MadeBackup = {
  format: 1,
  argosy: "1.0.0",
  taken_at: "2026-01-01T00:00:00.000Z",
  has_external_database: false,
  place: "/b/a.tar.zst",
  databases: 1,
  files: 2,
  size_bytes: 1024 ** 2,
  has_keys: true,
  warnings: [],
};

const backUp = async (made: MadeBackup) => {
  const parts = {
    loadConfig: async () => configWith({}),
    backupPlace: async () => ({}) as never,
    makeBackup: async () => made,
  };
  const { code, stdout, stderr } = await say(["backup", "a.tar.zst"], { parts });
  expect(code).toBe(0);
  return stdout + stderr;
};

test("a backup with keys says so", async () => {
  expect(await backUp(made)).toContain("It contains the keys of this installation");
});

test("a backup without keys doesn't claim them, and passes the warnings on", async () => {
  const warning = "The keys in ARGOSY_SEALING_KEYS are not in this backup.";
  const said = await backUp({ ...made, has_keys: false, warnings: [warning] });
  expect(said).not.toContain("It contains the keys");
  expect(said).toContain(warning);
});
