import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { ownPostgresServer, postgresMissing } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;

/** Variables of every process on one new database. */
async function sharedDatabase() {
  const url = await (await ownPostgresServer()).createDatabase();
  return { DATABASE_URL: url, ARGOSY_SEALING_KEYS: ring(1), ARGOSY_JWT_KEYS: ring(2) };
}

interface Trace {
  spans: { name: string; attributes: { turns?: number } }[];
}

const turnsRecalled = ({ spans }: Trace) =>
  spans.find(({ name }) => name === "memory_build")?.attributes.turns;

executableTest(
  "memory and traces live in PostgreSQL: a restart keeps them, a second process shares them",
  async () => {
    using first = temporaryFolder();
    using second = temporaryFolder();
    const env = await sharedDatabase();
    for (const folder of [first, second]) await argosy(folder.path, ["init"]);
    {
      await using server = await startServer(first.path, { env });
      expect(await server.run("assistant", "What time is it in Tokyo?", "s1")).toMatchObject({ status: 200 });
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
    }
    // Nothing but the lock, the sizes of this machine's folder, and what its files had in common with the database.
    const left = readdirSync(join(first.path, ".argosy"));
    const own = ["size-days.json", "shared-files.json"];
    expect(left.filter((name) => !own.includes(name))).toEqual(["lock"]);

    await using one = await startServer(first.path, { env });
    await using other = await startServer(second.path, { env });
    // In turns: neither server may answer from a cache that the other has made stale.
    for (const server of [one, other, one]) await server.run("assistant", "What time is it in Oslo?", "s1");
    for (const server of [one, other]) expect(await server.history("assistant", "s1")).toHaveLength(8);
    const doctor = await argosy(first.path, ["doctor"], { env });
    expect(doctor.stdout).toContain("PostgreSQL");
    // A process flushes its buffered writes when it stops.
    one.kill("SIGTERM");
    expect(await one.exited).toBe(0);
    const { traces } = (await other.call("GET", "/v1/traces")).body;
    expect(traces.map(turnsRecalled)).toEqual([6, 4, 2, 0]);
  },
  postgresMissing,
);

executableTest(
  "a process with other keys is refused before it writes anything",
  async () => {
    using first = temporaryFolder();
    using second = temporaryFolder();
    const env = await sharedDatabase();
    await using server = await startServer(first.path, { env });
    const refused = await argosy(second.path, ["serve", "--port", "0"], {
      env: { ...env, ARGOSY_SEALING_KEYS: ring(3) },
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("ARGOSY_SEALING_KEYS");
    expect((await server.call("GET", "/readyz")).status).toBe(200);
  },
  postgresMissing,
);

executableTest(
  "a wrong password or database refuses the start, and the error names the variable alone",
  async () => {
    using folder = temporaryFolder();
    const env = await sharedDatabase();
    const url = new URL(env.DATABASE_URL);
    const { password } = url;
    url.password = "not-the-password";
    const wrongPassword = String(url);
    url.password = password;
    url.pathname = "/nowhere";
    for (const DATABASE_URL of [wrongPassword, String(url)]) {
      const refused = await argosy(folder.path, ["serve", "--port", "0"], { env: { ...env, DATABASE_URL } });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("DATABASE_URL");
      expect(refused.stderr).not.toContain(password);
      expect(refused.stderr).not.toContain("not-the-password");
    }
  },
  postgresMissing,
);

executableTest(
  "a database that goes away: runs answer 503, and work again when it is back",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    const postgres = await ownPostgresServer();
    const env = await sharedDatabase();
    await using server = await startServer(folder.path, { env });
    await server.run("assistant", "Hello.", "s1");
    await postgres.crash();
    expect(await server.run("assistant", "Hello?", "s1")).toMatchObject({
      status: 503,
      body: { error: "storage_unavailable" },
    });
    expect((await server.call("GET", "/healthz")).status).toBe(200);
    expect((await server.call("GET", "/readyz")).status).toBe(503);
    await postgres.start();
    expect(await server.run("assistant", "Hello again.", "s1")).toMatchObject({ status: 200 });
    expect(await server.history("assistant", "s1")).toHaveLength(4);
  },
  postgresMissing,
);

executableTest(
  "all services stop with 0 while the database is away",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    const postgres = await ownPostgresServer();
    const env = await sharedDatabase();
    const services = ["daemon", "platform", "gateway", "cloud", "translator"];
    await using server = await startServer(folder.path, { env, services });
    await server.run("assistant", "Hello.", "s1");
    await postgres.crash();
    try {
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
    } finally {
      // Later tests have the same server.
      await postgres.start();
    }
  },
  postgresMissing,
);

executableTest(
  "a database server without a free connection refuses the start and says what to raise",
  async () => {
    using folder = temporaryFolder();
    const { DATABASE_URL: url, ...keys } = await sharedDatabase();
    const limited = new URL(url);
    Object.assign(limited, { username: "limited", password: "limited-password" });
    {
      await using sql = new SQL(url, { max: 1 });
      await sql.unsafe("create role limited login password 'limited-password' connection limit 0");
      await sql.unsafe(`alter database ${limited.pathname.slice(1)} owner to limited`);
    }
    const env = { ...keys, DATABASE_URL: limited.href };
    const refused = startServer(folder.path, { env });
    await expect(refused).rejects.toThrow("has no free connection");
    await expect(refused).rejects.toThrow("max_connections: each service of this node uses up to 12");
  },
  postgresMissing,
);
