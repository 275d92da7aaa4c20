import { expect } from "bun:test";
import { readdirSync, readFileSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argosy, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { smallDisk, smallDiskMissing } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const ingest = (server: ServerProcess, id: string, text: string) =>
  server.call("POST", "/v1/rag/ingest", { body: { collection: "notes", documents: [{ id, text }] } });

const query = (server: ServerProcess, words: string) =>
  server.call("POST", "/v1/rag/query", { body: { collection: "notes", query: words, top_k: 1 } });

const isLoaded = ({ pid }: ServerProcess) => readFileSync(`/proc/${pid}/maps`, "utf8").includes("lancedb");

async function vectorsCheck(server: ServerProcess) {
  const { body } = await server.call("GET", "/v1/system/doctor");
  return body.checks.find(({ name }: { name: string }) => name === "vectors");
}

executableTest("LanceDB is unpacked and loaded at the first use of vectors, and not before", async () => {
  using folder = temporaryFolder();
  await argosy(folder.path, ["init"]);
  const data = join(folder.path, "data");
  const cache = join(folder.path, "cache");
  const native = join(cache, "argosy", "native");
  const start = () => startServer(folder.path, { args: ["--data", data], env: { XDG_CACHE_HOME: cache } });
  {
    await using server = await start();
    expect(await server.run("assistant", "Hello.", "s1")).toMatchObject({ status: 200 });
    expect(await vectorsCheck(server)).toMatchObject({
      status: "healthy",
      message: expect.stringContaining("LanceDB is unpacked at first use."),
    });
    expect(isLoaded(server)).toBe(false);
    expect(readdirSync(native)).toEqual([]);

    expect((await ingest(server, "whales", "Whales live in the sea.")).status).toBe(200);
    expect(await query(server, "where do whales live")).toMatchObject({
      status: 200,
      body: { results: [{ text: "Whales live in the sea." }] },
    });
    expect(isLoaded(server)).toBe(true);
    expect(readdirSync(native)).toEqual([expect.stringMatching(/^lancedb-[0-9a-f]{64}\.node$/)]);
    expect(await vectorsCheck(server)).toMatchObject({
      message: expect.stringContaining("LanceDB is unpacked."),
    });
    // The log contains only lines of JSON.
    for (const line of server.stderr().trim().split("\n").filter(Boolean)) JSON.parse(line);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  }

  const [addon = ""] = readdirSync(native);
  truncateSync(join(native, addon), 1_000_000);
  await using again = await start();
  expect(await query(again, "whales")).toMatchObject({
    body: { results: [{ text: "Whales live in the sea." }] },
  });
  expect(await again.logged("vectors.addon_damaged")).toMatchObject({ level: "warning" });
});

executableTest(
  "where LanceDB can't be unpacked vectors are 503 with advice, and all else works",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    using forbidding = smallDisk(64 * 1024, { noexec: true });
    using small = smallDisk(64 * 1024);
    for (const [disk, message] of [
      [forbidding, "nothing may be executed"],
      [small, "is full; unpacking LanceDB needs"],
    ] as const) {
      // Without a usable cache, LanceDB is unpacked into the data folder.
      const env = { XDG_CACHE_HOME: "/dev/null" };
      await using server = await startServer(folder.path, { args: ["--data", disk.path], env });
      expect(await vectorsCheck(server)).toMatchObject({
        status: "failing",
        message: expect.stringContaining(message),
      });
      const refused = await ingest(server, "whales", "Whales live in the sea.");
      expect(refused).toMatchObject({ status: 503, body: { error: "vectors_unavailable" } });
      expect(JSON.stringify(refused.body)).toContain(message);
      expect(await server.run("assistant", "Hello.", "s1")).toMatchObject({ status: 200 });
      expect(readdirSync(join(disk.path, "native"))).toEqual([]);
    }
  },
  smallDiskMissing,
);

executableTest(
  "on a disk that fills up what was ingested stays, and ingesting goes on when there is room",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    using disk = smallDisk(320 * 1024);
    await using server = await startServer(folder.path, { args: ["--data", disk.path] });
    expect((await ingest(server, "whales", "Whales live in the sea.")).status).toBe(200);
    const { bavail, bsize } = statfsSync(disk.path);
    const ballast = join(disk.path, "ballast");
    writeFileSync(ballast, Buffer.alloc((bavail - 64) * bsize));
    const text = (at: number) =>
      Array.from({ length: 20_000 }, (_, word) => `w${(word * 7919 + at) % 9973}`).join(" ");
    let refused = await ingest(server, "long", text(0));
    for (let at = 1; refused.status === 200; at++) refused = await ingest(server, `long${at}`, text(at));
    expect(refused.status).toBe(503);
    expect(await query(server, "whales")).toMatchObject({
      body: { results: [{ text: "Whales live in the sea." }] },
    });
    truncateSync(ballast);
    expect((await ingest(server, "owls", "Owls hunt at night.")).status).toBe(200);
    expect(await query(server, "owls")).toMatchObject({
      body: { results: [{ text: "Owls hunt at night." }] },
    });
  },
  smallDiskMissing,
);
