import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executableBuilt } from "../../support/executable.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { apiToken, clientDaemon } from "./followed-daemon.ts";

const python = Bun.which("python3");
const isRecent =
  python !== null &&
  Bun.spawnSync([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).success;
const missing = [
  ...(isRecent ? [] : ["python3 3.11 is not installed"]),
  ...(executableBuilt ? [] : ["dist/argosy is not built"]),
];

test.skipIf(missing.length > 0)(
  `the Python client works at a real daemon${missing.length > 0 ? ` (${missing.join(", ")})` : ""}`,
  async () => {
    await using server = await clientDaemon();
    const child = Bun.spawn([python ?? "python3", "-B", "-W", "error", "tests/test_client.py", "-v"], {
      cwd: join(import.meta.dir, "../../../clients/python"),
      env: {
        PATH: process.env.PATH ?? "",
        HOME: process.env.HOME ?? "",
        ARGOSY_TEST_URL: server.url,
        ARGOSY_TEST_TOKEN: apiToken,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [told, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    expect([code, told]).toEqual([0, expect.stringContaining("test_approval (__main__.OverUrllib")]);
    expect(told).toContain("OK");
  },
);

const mypy = Bun.which("mypy");

test.skipIf(mypy === null)(
  `the Python client and the example of its README pass mypy --strict${mypy === null ? " (mypy is not installed)" : ""}`,
  async () => {
    using folder = temporaryFolder();
    const client = join(import.meta.dir, "../../../clients/python");
    const readme = readFileSync(join(client, "README.md"), "utf8");
    const blocks = [...readme.matchAll(/```py\n([\s\S]*?)```/g)].map(([, code]) => code);
    expect(blocks.length).toBeGreaterThan(0);
    writeFileSync(join(folder.path, "readme.py"), blocks.join("\n"));
    const child = Bun.spawn([mypy ?? "mypy", "--strict", "readme.py"], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? "", HOME: folder.path, MYPYPATH: join(client, "src") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [told, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    expect([code, told]).toEqual([0, expect.stringContaining("no issues found")]);
  },
);
