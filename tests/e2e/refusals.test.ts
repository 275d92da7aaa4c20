import { describe, expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { argosy, type Environment, executableTest, startServer } from "../support/executable.ts";
import { smallDisk, smallDiskMissing } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

executableTest(
  "a second process on the same data folder is refused, and the error names the first",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path);
    const second = await argosy(folder.path, ["serve", "--port", "0"]);
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toContain(`A server is already running at ${server.url}`);
    expect((await server.call("GET", "/readyz")).status).toBe(200);
  },
);

executableTest(
  "a taken port refuses the start, names the port, and leaves the data folder free",
  async () => {
    using first = temporaryFolder();
    using second = temporaryFolder();
    await using server = await startServer(first.path);
    const refused = await argosy(second.path, ["serve", "--port", String(server.port)]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`port ${server.port} on 127.0.0.1 is taken by another program`);
    expect(refused.stderr).toContain(
      "give the daemon another port by PLATFORM_PORT, where 0 takes any free one.",
    );
    // Events before the failure are still in the log.
    expect(refused.stderr).toContain('"event":"secrets.generated"');
    expect(readdirSync(join(second.path, ".argosy")).sort()).toEqual(["lock", "secrets.json"]);
    await using other = await startServer(second.path);
    expect((await other.call("GET", "/readyz")).status).toBe(200);
  },
);

const key = `k1:${Buffer.alloc(32, 7).toString("base64")}`;

describe("the start is refused, and nothing has been made", () => {
  const cases: [what: string, args: string[], env: Environment, code: number, stderr: string[]][] = [
    [
      "beyond this machine without a token",
      ["--host", "0.0.0.0"],
      {},
      2,
      ["may not listen on 0.0.0.0 without PLATFORM_API_TOKEN", "openssl rand -base64 32"],
    ],
    [
      "a token that is too short",
      [],
      { PLATFORM_API_TOKEN: "short" },
      2,
      ["PLATFORM_API_TOKEN must be at least 32 bytes"],
    ],
    ["a service that isn't there", ["--services", "daemon,moon"], {}, 2, ["--services must be", "daemon"]],
    [
      "a certificate without its key",
      [],
      { ARGOSY_TLS_CERT: "cert.pem" },
      2,
      ["ARGOSY_TLS_CERT and ARGOSY_TLS_KEY must be set together"],
    ],
    [
      "a certificate that can't be read",
      [],
      { ARGOSY_TLS_CERT: "nowhere.pem", ARGOSY_TLS_KEY: "nowhere.pem" },
      2,
      ["ARGOSY_TLS_CERT names", "nowhere.pem, which can't be read (ENOENT)"],
    ],
    [
      "a certificate that is none",
      [],
      { ARGOSY_TLS_CERT: "junk.pem", ARGOSY_TLS_KEY: "junk.pem" },
      2,
      ["must name a certificate and its own key, both PEM"],
    ],
    ["a role that isn't there", [], { PLATFORM_ROLE: "workers" }, 2, ["PLATFORM_ROLE"]],
  ];
  for (const [what, args, env, code, stderr] of cases) {
    executableTest(what, async () => {
      using folder = temporaryFolder();
      writeFiles(folder.path, { "junk.pem": "no certificate" });
      const refused = await argosy(folder.path, ["serve", "--port", "0", ...args], { env });
      expect(refused).toMatchObject({ code, stdout: "" });
      for (const text of stderr) expect(refused.stderr).toContain(text);
      expect(existsSync(join(folder.path, ".argosy"))).toBe(false);
    });
  }
});

describe("a data folder that can't be used is named, with the reason", () => {
  executableTest("a file in its place", async () => {
    using folder = temporaryFolder();
    writeFiles(folder.path, { data: "a file" });
    const refused = await argosy(folder.path, ["serve", "--port", "0", "--data", "data"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `The data folder ${join(folder.path, "data")} can't be used: it is a file.`,
    );
  });

  executableTest(
    "a read-only file system",
    async () => {
      using folder = temporaryFolder();
      using disk = smallDisk(64);
      disk.makeReadOnly();
      for (const data of [disk.path, join(disk.path, "inside")]) {
        const refused = await argosy(folder.path, ["serve", "--port", "0", "--data", data]);
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain(
          `The data folder ${data} can't be used: its file system is read-only.`,
        );
      }
    },
    smallDiskMissing,
  );
});

executableTest(
  "init in a folder that can't be written names the file",
  async () => {
    using disk = smallDisk(64);
    disk.makeReadOnly();
    const refused = await argosy(disk.path, ["init"]);
    const file = join(disk.path, "agents/assistant.agent.yaml");
    expect(refused).toMatchObject({ code: 1, stderr: `error: ${file} can't be written (EROFS).\n` });
  },
  smallDiskMissing,
);

describe("with a shared database", () => {
  const database = { DATABASE_URL: "postgres://argosy:database-password@127.0.0.1:1/argosy" };

  executableTest("keys are never made up: the variables are named", async () => {
    using folder = temporaryFolder();
    const refused = await argosy(folder.path, ["serve", "--port", "0"], { env: database });
    expect(refused.code).toBe(2);
    for (const text of ["ARGOSY_SEALING_KEYS", "ARGOSY_JWT_KEYS", "argosy secrets init --print"])
      expect(refused.stderr).toContain(text);
    expect(existsSync(join(folder.path, ".argosy/secrets.json"))).toBe(false);
  });

  executableTest("a server that isn't there is named, without its password", async () => {
    using folder = temporaryFolder();
    const env = { ...database, ARGOSY_SEALING_KEYS: key, ARGOSY_JWT_KEYS: key };
    const refused = await argosy(folder.path, ["serve", "--port", "0"], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("DATABASE_URL");
    expect(refused.stderr).toContain("127.0.0.1:1");
    expect(refused.stderr).not.toContain("database-password");
  });
});
