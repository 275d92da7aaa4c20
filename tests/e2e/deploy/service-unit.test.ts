import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemdUnit } from "../../../src/command/service/systemd-unit.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const deployed = readFileSync(join(import.meta.dir, "../../../deploy/argosy.service"), "utf8");
const written = systemdUnit({
  executable: "/usr/local/bin/argosy",
  workspace: "/srv/argosy",
  dataFolder: "/var/lib/argosy",
  environmentFile: "/etc/argosy/environment",
  account: "argosy",
});

const analyze = Bun.which("systemd-analyze");
const named = analyze === null ? " (systemd-analyze not installed)" : "";

test.skipIf(analyze === null).each([
  ["deploy/argosy.service", deployed],
  ["argosy service install", written],
])(`systemd rates the exposure of %s below 3${named}`, (_, unit) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "argosy.service");
  writeFileSync(path, unit);
  const { stdout, exitCode } = Bun.spawnSync([
    "systemd-analyze",
    "security",
    "--offline=yes",
    "--threshold=30",
    path,
  ]);
  expect([exitCode, stdout.toString().trimEnd().split("\n").at(-1)]).toEqual([
    0,
    expect.stringMatching(/exposure level for argosy.service: [0-2]\.\d/),
  ]);
});
