import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  argosy,
  executable,
  executableTest,
  type ServerProcess,
  startServer,
} from "../../support/executable.ts";
import { startS3StandIn } from "../../support/s3-stand-in.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

/** Runs of one server, one after another, each with a session of its own. */
function steadyRuns(server: ServerProcess, name: string) {
  const acknowledged: string[] = [];
  let running = true;
  const ended = (async () => {
    for (let number = 0; running; number++) {
      const session = `${name}-${number}`;
      await server.run("assistant", `My number is ${number}.`, session);
      acknowledged.push(session);
    }
  })();
  return {
    acknowledged,
    async stop() {
      running = false;
      await ended;
    },
  };
}

executableTest(
  "backups under load have every answer that was acknowledged before, and start elsewhere",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    const taken: { file: string; before: string[] }[] = [];
    {
      await using server = await startServer(folder.path, { services: ["daemon", "platform"] });
      const callers = ["one", "two", "three"].map((name) => steadyRuns(server, name));
      for (let round = 0; round < 3; round++) {
        const file = `round-${round}.tar.zst`;
        const before = callers.flatMap(({ acknowledged }) => [...acknowledged]);
        const made = await argosy(folder.path, ["backup", file, "--json"]);
        expect(made).toMatchObject({ code: 0 });
        expect(JSON.parse(made.stdout)).toMatchObject({ databases: 2, place: join(folder.path, file) });
        taken.push({ file, before });
      }
      for (const caller of callers) await caller.stop();
      expect(readdirSync(join(folder.path, ".argosy")).filter((name) => name.startsWith(".backup"))).toEqual(
        [],
      );
    }
    expect(taken.at(-1)?.before.length).toBeGreaterThan(0);
    for (const { file, before } of taken) {
      const restored = await argosy(folder.path, ["restore", file, "--data", file.replace(".tar.zst", "")]);
      expect(restored).toMatchObject({ code: 0 });
      await using server = await startServer(folder.path, {
        env: { ARGOSY_DATA: file.replace(".tar.zst", "") },
      });
      for (const session of before) expect(await server.history("assistant", session)).toHaveLength(2);
    }
  },
);

executableTest(
  "a backup whose server is killed keeps nothing, and one that is killed leaves nothing behind",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    await argosy(folder.path, ["run", "assistant", "Hello."]);
    const data = join(folder.path, ".argosy");
    const big = new Database(join(data, "big.db"));
    big.run("CREATE TABLE rows AS SELECT randomblob(20000000) AS bytes");
    big.close();
    const staged = () => readdirSync(data).filter((name) => name.startsWith(".backup"));
    {
      await using server = await startServer(folder.path);
      const child = Bun.spawn([executable, "backup", "killed.tar.zst"], {
        cwd: folder.path,
        stdio: ["ignore", "ignore", "ignore"],
      });
      await server.logged("backup.held");
      child.kill("SIGKILL");
      await child.exited;
      expect(existsSync(join(folder.path, "killed.tar.zst"))).toBeFalse();
      await server.logged("backup.released");
      const next = await argosy(folder.path, ["backup", "next.tar.zst"]);
      expect(next).toMatchObject({ code: 0 });
      expect(staged()).toEqual([]);
    }
    {
      await using server = await startServer(folder.path);
      const backup = argosy(folder.path, ["backup", "lost.tar.zst"]);
      await server.logged("backup.held");
      server.kill("SIGKILL");
      const { code, stderr } = await backup;
      // The copy may have been complete already.
      if (code !== 0) {
        expect(stderr).toContain("The server ended");
        expect(existsSync(join(folder.path, "lost.tar.zst"))).toBeFalse();
      }
      const drafts = readdirSync(folder.path).filter((name) => /^lost\..*\.part$/.test(name));
      expect(drafts).toEqual([]);
    }
  },
);

executableTest(
  "a restore replaces data only when asked to, keeps it, and refuses unusable backups",
  async () => {
    using folder = temporaryFolder();
    const restore = (...args: string[]) => argosy(folder.path, ["restore", ...args]);
    await argosy(folder.path, ["init"]);
    await argosy(folder.path, ["run", "assistant", "Hello.", "--session", "s1"]);
    expect(await argosy(folder.path, ["backup", "a.tar.zst"])).toMatchObject({ code: 0 });
    expect(await argosy(folder.path, ["backup", "a.tar.zst"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already exists"),
    });

    expect(await restore("a.tar.zst")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has data already"),
    });
    const forced = await restore("a.tar.zst", "--force", "--json");
    const { replaced } = JSON.parse(forced.stdout);
    expect(existsSync(join(replaced, "daemon.db"))).toBeTrue();

    await using server = await startServer(folder.path);
    expect(await restore("a.tar.zst", "--force")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("in use"),
    });
    expect(await server.history("assistant", "s1")).toHaveLength(2);
    server.kill("SIGTERM");
    await server.exited;

    const newer = new Database(join(folder.path, ".argosy/daemon.db"));
    newer.run("INSERT INTO _migrations (tag, sha256, applied_at) VALUES ('9999_later', '', 0)");
    newer.close();
    expect(await argosy(folder.path, ["backup", "newer.tar.zst"])).toMatchObject({ code: 0 });
    expect(await restore("newer.tar.zst", "--data", "elsewhere")).toMatchObject({
      stderr: expect.stringContaining("newer than this executable"),
    });
    expect(readdirSync(join(folder.path, "elsewhere"))).not.toContain("daemon.db");

    writeFileSync(join(folder.path, ".argosy/restoring"), "");
    expect(await argosy(folder.path, ["run", "assistant", "Hello."])).toMatchObject({
      stderr: expect.stringContaining("was interrupted"),
    });
    expect(await restore("a.tar.zst", "--force")).toMatchObject({ code: 0 });
    expect(await argosy(folder.path, ["run", "assistant", "Hello."])).toMatchObject({ code: 0 });
  },
);

executableTest("backups go to an object store and come back, or through a pipe", async () => {
  using folder = temporaryFolder();
  await using store = startS3StandIn();
  const env = {
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "key",
    AWS_ENDPOINT_URL_S3: store.storageOptions.endpoint as string,
  };
  await argosy(folder.path, ["init"]);
  await argosy(folder.path, ["run", "assistant", "Hello."]);
  const place = "s3://backups/argosy/a.tar.zst";
  expect(await argosy(folder.path, ["backup", place])).toMatchObject({
    stderr: expect.stringContaining("AWS_ACCESS_KEY_ID"),
  });
  const big = new Database(join(folder.path, ".argosy/big.db"));
  big.run("CREATE TABLE rows AS SELECT randomblob(20000000) AS bytes");
  big.close();
  expect(await argosy(folder.path, ["backup", place], { env })).toMatchObject({ code: 0 });
  expect(await argosy(folder.path, ["backup", place], { env })).toMatchObject({
    stderr: expect.stringContaining("already exists"),
  });
  const restored = await argosy(folder.path, ["restore", place, "--data", "from-store", "--json"], { env });
  expect(JSON.parse(restored.stdout)).toMatchObject({ databases: 2 });
  rmSync(join(folder.path, ".argosy/big.db"));

  const shell = `"${executable}" backup - | "${executable}" restore - --data from-pipe`;
  const piped = Bun.spawnSync(["bash", "-o", "pipefail", "-c", shell], { cwd: folder.path });
  expect(piped.exitCode).toBe(0);
  expect(existsSync(join(folder.path, "from-pipe/daemon.db"))).toBeTrue();
});
