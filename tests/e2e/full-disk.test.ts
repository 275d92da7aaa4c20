import { expect } from "bun:test";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { type SmallDisk, smallDisk, smallDiskMissing } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

/** Fills the disk except for this many blocks. */
function fill({ path }: SmallDisk, blocksLeft = 0): void {
  const { bavail, bsize } = statfsSync(path);
  try {
    writeFileSync(join(path, "ballast"), Buffer.alloc((bavail - blocksLeft) * bsize));
  } catch (thrown) {
    // A server wrote in between, so the disk is full already.
    if ((thrown as NodeJS.ErrnoException).code !== "ENOSPC") throw thrown;
  }
}

/** Four times what the write-ahead log may become. */
const roomyKiB = 16_384;

const free = ({ path }: SmallDisk) => rmSync(join(path, "ballast"));

executableTest(
  "a full disk refuses runs with 503 and nothing else, and ends with the lack of space",
  async () => {
    using folder = temporaryFolder();
    using disk = smallDisk(roomyKiB);
    await argosy(folder.path, ["init"]);
    await using server = await startServer(folder.path, { args: ["--data", disk.path] });
    expect(await server.run("assistant", "Hello.", "s1")).toMatchObject({ status: 200 });
    fill(disk);
    let refused = await server.run("assistant", "x".repeat(20_000), "s1");
    // Writes succeed while the database file has room.
    while (refused.status === 200) refused = await server.run("assistant", "x".repeat(20_000), "s1");
    expect(refused).toMatchObject({ status: 503, body: { error: "storage_unavailable" } });
    expect((await server.call("GET", "/healthz")).status).toBe(200);
    expect((await server.call("GET", "/v1/agents")).status).toBe(200);
    expect((await server.call("GET", "/readyz")).status).toBe(503);

    free(disk);
    expect(await server.run("assistant", "Hello again.", "s2")).toMatchObject({ status: 200 });
    // A background worker that could not write either is restarted after a delay.
    while ((await server.call("GET", "/readyz")).status !== 200) await Bun.sleep(20);
    expect(await server.history("assistant", "s2")).toHaveLength(2);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  },
  smallDiskMissing,
);

executableTest(
  "a stop on a full disk ends with 0 and says what could not be written",
  async () => {
    using folder = temporaryFolder();
    using disk = smallDisk(2048);
    await argosy(folder.path, ["init"]);
    await using server = await startServer(folder.path, { args: ["--data", disk.path] });
    fill(disk);
    while ((await server.run("assistant", "x".repeat(20_000), "s1")).status === 200);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(await server.logged("traces.lost")).toMatchObject({ level: "error" });
    free(disk);
    await using again = await startServer(folder.path, { args: ["--data", disk.path] });
    expect((await again.call("GET", "/readyz")).status).toBe(200);
  },
  smallDiskMissing,
);

// One for each file that a first start writes: the lock, the process id, the secrets, the database, its log.
for (const blocksLeft of [0, 1, 2, 3, 8, 16, 26]) {
  executableTest(
    `a first start with ${blocksLeft} blocks left says that the disk is full, and starts once there is space`,
    async () => {
      using folder = temporaryFolder();
      using disk = smallDisk(1024);
      fill(disk, blocksLeft);
      const refused = await argosy(folder.path, ["serve", "--port", "0", "--data", disk.path]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`The data folder ${disk.path} can't be used: its disk is full.`);
      free(disk);
      await using server = await startServer(folder.path, { args: ["--data", disk.path] });
      expect((await server.call("GET", "/readyz")).status).toBe(200);
    },
    smallDiskMissing,
  );
}
