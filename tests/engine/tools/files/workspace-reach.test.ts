import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isOffLimits } from "../../../../src/engine/tools/files/file-reach.ts";
import { workspaceReach } from "../../../../src/engine/tools/files/workspace-reach.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

test("data, configuration and keys are off limits by their real paths, also what is not there yet", () => {
  using folder = temporaryFolder();
  const home = realpathSync(folder.path);
  mkdirSync(join(home, "disk/data"), { recursive: true });
  mkdirSync(join(home, "real"));
  symlinkSync(join(home, "real"), join(home, "workspace"));
  symlinkSync(join(home, "disk/data"), join(home, "data"));
  const reach = workspaceReach({
    workspace: join(home, "workspace"),
    dataFolder: join(home, "data"),
    tls: { keyFile: join(home, "key.pem") },
  });
  const off = [
    "disk/data",
    "disk/data/daemon.db",
    "real/agents/x.txt",
    "real/tools/stock.ts",
    "real/runtime.yaml",
    "real/channels.yaml",
    "key.pem",
    "real/.env",
  ];
  const open = ["cert.pem", "real", "real/agents.txt", "real/notes/a.txt", "disk/database"];
  expect(off.filter((path) => !isOffLimits(reach, join(home, path)))).toEqual([]);
  expect(open.filter((path) => isOffLimits(reach, join(home, path)))).toEqual([]);
});
