import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/kit/clock.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const clerk = (smtpPort: number) => `
apiVersion: platform/v1
kind: Agent
metadata: {name: clerk}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  tools:
    - {name: sql_query, type: builtin, config: {connection_string: "sqlite:///shop.db", statement_timeout_seconds: 60}}
    - {name: read_file, type: builtin, config: {allowed_paths: ["{workspace}"]}}
    - {name: write_file, type: builtin, config: {allowed_paths: ["{workspace}/out"]}}
    - name: send_email
      type: builtin
      config: {smtp_host: 127.0.0.1, smtp_port: ${smtpPort}, from_address: clerk@example.com}
`;
const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c";

executableTest(
  "the executable has the tools for databases, files and mail, and leaves no process behind",
  async () => {
    using folder = temporaryFolder();
    await using mail = await startSmtpServer();
    const database = new Database(join(folder.path, "shop.db"));
    database.run("CREATE TABLE t(a)");
    database.run("INSERT INTO t VALUES (7)");
    database.close();
    mkdirSync(join(folder.path, "out"));
    writeFiles(folder.path, { "agents/clerk.agent.yaml": clerk(mail.port), "note.txt": "a note" });
    await using server = await startServer(folder.path);
    const execute = async (tool: string, input: Record<string, unknown>) => {
      const { body } = await server.call("POST", "/v1/tools/execute", {
        body: { tool, agent: "clerk", input },
      });
      return body.output;
    };

    expect(await execute("sql_query", { query: "SELECT a FROM t" })).toMatchObject({
      data: { rows: [{ a: 7 }] },
    });
    expect(await execute("read_file", { path: join(folder.path, "note.txt") })).toMatchObject({
      data: { content: "a note" },
    });
    for (const own of ["agents/clerk.agent.yaml", ".argosy/daemon.db", ".argosy/secrets.json"]) {
      expect(await execute("read_file", { path: join(folder.path, own) })).toMatchObject({ success: false });
    }
    expect(await execute("write_file", { path: join(folder.path, "out/a/b"), content: "x" })).toMatchObject({
      success: true,
    });
    expect(readFileSync(join(folder.path, "out/a/b"), "utf8")).toBe("x");
    const letter = { to: "bob@example.com", subject: "Hi", body: "Hello." };
    expect(await execute("send_email", letter)).toMatchObject({ data: { accepted: ["bob@example.com"] } });
    expect(mail.mails).toHaveLength(1);

    const child = childOf(server.pid);
    const cut = execute("sql_query", { query: endless }).catch(() => undefined);
    const before = cpuTicks(child);
    await until(() => cpuTicks(child) > before + 3);
    server.kill("SIGKILL");
    await cut;
    await until(() => !existsSync(`/proc/${child}`));
  },
  process.platform === "linux" ? undefined : "needs /proc",
);

function childOf(pid: number): number {
  const { stdout } = Bun.spawnSync(["ps", "-ww", "-A", "-o", "pid=,ppid=,args="]);
  const rows = stdout
    .toString()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return Number(
    rows.find(([, parent, ...args]) => parent === String(pid) && args.at(-1) === "sql-child")?.[0],
  );
}

function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise<void>((resolve) => systemClock.timer(10, resolve));
  }
}
