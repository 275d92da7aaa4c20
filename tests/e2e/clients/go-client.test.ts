import { expect, test } from "bun:test";
import { join } from "node:path";
import { sendKeyOfA, startGateway } from "../../support/gateway.ts";
import { readToEnd } from "../../support/read-to-end.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const folder = join(import.meta.dirname, "../../../clients/go");
const go = Bun.which("go");

async function run(args: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([go ?? "go", ...args], {
    cwd: folder,
    // Nothing is downloaded: the client has no dependencies.
    env: { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const { stdout: out, stderr: err, code } = await readToEnd(child);
  return { code, text: out + err };
}

test.skipIf(go === null)(
  "the Go client is clean, and sends and asks at a real gateway (needs go)",
  async () => {
    using cache = temporaryFolder();
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "echo", "e1");
    const env = {
      GOCACHE: cache.path,
      ARGOSY_TEST_GATEWAY_URL: gateway.url,
      ARGOSY_TEST_GATEWAY_KEY: sendKeyOfA,
    };
    expect(await run(["vet", "./..."], env)).toEqual({ code: 0, text: "" });
    const tested = await run(["test", "-count=1", "-v", "./..."], env);
    expect(tested).toMatchObject({ code: 0 });
    expect(tested.text).toContain("--- PASS: TestSendAndGetMessage");
    expect(tested.text).not.toContain("--- SKIP");
  },
  300_000,
);
