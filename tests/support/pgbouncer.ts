import { chownSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "./free-port.ts";

const program = Bun.which("pgbouncer") ?? ["/usr/sbin/pgbouncer"].find(existsSync);

/** Why the suites that need PgBouncer are skipped; undefined if they can run. */
export const pgbouncerMissing = program === undefined ? "pgbouncer not installed" : undefined;

/** PgBouncer refuses to run as root, so root's tests run it as the user nobody. */
const nobody = 65534;
const asUser =
  process.getuid?.() === 0 ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];

/** A pooler in transaction mode before `url`, with fewer connections than its callers have. */
export async function startPgbouncer(url: string, settings = "") {
  const target = new URL(url);
  const port = freePort();
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  const file = join(folder, "pgbouncer.ini");
  const server = `host=127.0.0.1 port=${target.port} user=${decodeURIComponent(target.username)}`;
  writeFileSync(
    file,
    `[databases]
* = ${server}${target.password === "" ? "" : ` password=${decodeURIComponent(target.password)}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
${settings}
`,
  );
  if (asUser.length > 0) for (const path of [folder, file]) chownSync(path, nobody, nobody);
  const child = Bun.spawn([...asUser, program ?? "", file], { stdout: "ignore", stderr: "ignore" });
  const pooled = new URL(url);
  pooled.hostname = "127.0.0.1";
  pooled.port = String(port);
  for (let answered = false; !answered; ) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`);
    const probe = new SQL(pooled.href, { max: 1, prepare: false });
    answered = await probe.unsafe("select 1").then(
      () => true,
      () => false,
    );
    await probe.close({ timeout: 0 });
  }
  return {
    url: pooled.href,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
