import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/temp-folder.ts";

const main = join(import.meta.dir, "../../src/main.ts");

test.skipIf(process.platform !== "linux")(
  "with 64 descriptors every one of 45 callers at once is answered, and doctor names the limit",
  async () => {
    using folder = temporaryFolder();
    using model = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ message: { role: "assistant", content: "hi" }, done: true, model: "m" }),
    });
    mkdirSync(join(folder.path, "agents"));
    const primary = { provider: "ollama", model: "m", endpoint: `http://127.0.0.1:${model.port}` };
    const agent = {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "a" },
      spec: { model: { primary } },
    };
    writeFileSync(join(folder.path, "agents/a.agent.yaml"), JSON.stringify(agent));
    const serve = ["serve", "--port", "0", "--json", "--services", "daemon", "--workspace", folder.path];
    const server = Bun.spawn(
      ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", process.execPath, main, ...serve],
      { stdin: "ignore", stdout: "pipe", stderr: "ignore" },
    );
    try {
      const { value } = await server.stdout.getReader().read();
      const [{ url }] = JSON.parse(new TextDecoder().decode(value)).services;
      const body = JSON.stringify({ query: "hello" });
      const headers = { "content-type": "application/json" };
      const run = async () => {
        const answer = await fetch(`${url}/v1/agents/a/run`, { method: "POST", headers, body });
        const { error } = await answer.json();
        return error ?? "answered";
      };
      const outcomes = new Set(await Promise.all(Array.from({ length: 45 }, run)));
      outcomes.delete("out_of_file_descriptors");
      expect([...outcomes]).toEqual(["answered"]);
      const { checks } = await (await fetch(`${url}/v1/system/doctor`)).json();
      const check = checks.find(({ name }: { name: string }) => name === "open files");
      expect(check.mend).toContain("ulimit -n 65536");
      expect(check.status).not.toBe("healthy");
    } finally {
      server.kill("SIGKILL");
      await server.exited;
    }
  },
);
