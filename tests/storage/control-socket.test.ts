import { expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  controlSocketPath,
  freeControlSocket,
  protectControlSocket,
} from "../../src/storage/control-socket.ts";
import { openDataFolder } from "../../src/storage/data-folder.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test("a dead process's socket gives way, and the new one is this user's alone", async () => {
  using parent = temporaryFolder();
  const folder = openDataFolder(join(parent.path, "data"));
  writeFileSync(controlSocketPath(folder.path), "left behind");
  const unix = freeControlSocket(folder);
  expect(unix).toBe(join(folder.path, "control.sock"));
  expect(existsSync(unix)).toBe(false);
  const server = Bun.serve({ unix, fetch: () => new Response("here") });
  protectControlSocket(folder);
  expect(statSync(unix).mode & 0o777).toBe(0o600);
  expect(await (await fetch("http://localhost/", { unix })).text()).toBe("here");
  await server.stop(true);
  folder.close();
});
