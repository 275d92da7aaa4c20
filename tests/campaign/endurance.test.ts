import { expect } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { argosy, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const mebibyte = 1024;

const residentKib = ({ pid }: ServerProcess) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

const openFiles = ({ pid }: ServerProcess) => readdirSync(`/proc/${pid}/fd`).length;

/** Files that a process opens once, whatever comes: the thread that moves SQLite's logs has the database's three and two of its own. */
const threadFiles = 6;

executableTest(
  "2,000 runs: memory is bounded and no file stays open",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    await using server = await startServer(folder.path);
    const runMany = async (count: number) => {
      let left = count;
      const caller = async () => {
        while (left-- > 0) {
          const { status } = await server.run("assistant", "What time is it in Tokyo?", `s${left % 50}`);
          expect(status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: 8 }, caller));
    };
    await runMany(200);
    const before = { kib: residentKib(server), files: openFiles(server) };
    await runMany(2000);
    expect(residentKib(server) - before.kib).toBeLessThan(150 * mebibyte);
    expect(openFiles(server)).toBeLessThanOrEqual(before.files + threadFiles);
  },
  existsSync("/proc/self/fd") ? undefined : "no /proc",
);
