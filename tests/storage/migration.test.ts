import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type AppliedMigration, pendingMigrations, sha256Of } from "../../src/storage/migration.ts";
import { refusal } from "../support/refusal.ts";

const one = { tag: "0000_init", sql: "create table a (b)" };
const two = { tag: "0001_more", sql: "create table c (d)" };
const asApplied = ({ tag, sql }: typeof one): AppliedMigration => ({ tag, sha256: sha256Of({ tag, sql }) });

test("what is missing is taken in order", () => {
  expect(pendingMigrations("s", [one, two], [])).toEqual([one, two]);
  expect(pendingMigrations("s", [one, two], [asApplied(one)])).toEqual([two]);
  expect(pendingMigrations("s", [one, two], [one, two].map(asApplied))).toEqual([]);
});

test("a newer database and an edited or replaced step are refused by name", async () => {
  const edited = { ...one, sql: `${one.sql} -- edited` };
  const cases = [
    { known: [one], applied: [one, two], code: "database_newer", names: "0001_more" },
    { known: [], applied: [one], code: "database_newer", names: "0000_init" },
    { known: [edited, two], applied: [one], code: "migration_edited", names: "0000_init" },
    { known: [two], applied: [one], code: "migration_edited", names: "0000_init" },
    { known: [two, one], applied: [one, two], code: "migration_edited", names: "0000_init" },
  ];
  for (const { known, applied, code, names } of cases) {
    const error = await refusal(() => pendingMigrations("daemon", known, applied.map(asApplied)));
    expect(error).toMatchObject({ kind: "unavailable", code });
    expect(error.message).toContain(names);
    expect(error.message).toContain("daemon");
  }
});

const migrations = join(import.meta.dirname, "../../migrations");
const steps = (service: string, dialect: string) =>
  readdirSync(join(migrations, service, dialect)).filter((file) => file.endsWith(".sql"));

test("every service has the same steps on both engines", () => {
  const services = readdirSync(migrations);
  expect(services).toContain("daemon");
  for (const service of services) {
    expect(steps(service, "sqlite").length).toBeGreaterThan(0);
    expect(steps(service, "sqlite")).toEqual(steps(service, "postgres"));
  }
});

test("the steps lead to the tables that the services declare, and the executable carries them all", () => {
  const script = join(import.meta.dirname, "../../scripts/generate-migrations.ts");
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, "--check"]);
  expect(stderr.toString()).toBe("");
  expect(exitCode).toBe(0);
});
