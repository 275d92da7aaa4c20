import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assembleArgosy } from "../../src/compose/assemble.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { startArgosy } from "../../src/compose/start.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test("services may listen once the data folder is locked, before a database is opened", async () => {
  using folder = temporaryFolder();
  const config = loadConfig({ workspace: folder.path, port: "0", services: "daemon" });
  const found: unknown[] = [];
  const assembled = await assembleArgosy(config, {
    log: silentLogger,
    locked: (chosen) =>
      found.push(
        chosen.map(({ name }) => name),
        existsSync(config.dataFolder),
        existsSync(join(config.dataFolder, "daemon.db")),
      ),
  });
  expect(found).toEqual([["daemon"], true, false]);
  expect(existsSync(join(config.dataFolder, "daemon.db"))).toBe(true);
  await assembled.close(1_000);
});

test("a start that fails after the services listen leaves no listener behind", async () => {
  using folder = temporaryFolder();
  const port = freePort();
  const config = loadConfig({ workspace: folder.path, port: String(port), services: "daemon" });
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  writeFileSync(join(config.dataFolder, "daemon.db"), "This is not a database. ".repeat(1000));
  await expect(startArgosy(config, { log: silentLogger })).rejects.toThrow("is damaged");
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  using again = Bun.serve({ port, fetch: () => new Response("free") });
  expect(await (await fetch(again.url)).text()).toBe("free");
});
