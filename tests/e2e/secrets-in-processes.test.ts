import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile } from "../support/daemon.ts";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { stagedCommand } from "../support/mcp-servers.ts";
import { encodings } from "../support/spellings.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const ring = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const reversed = (text: string) => [...text].reverse().join("");
const env = {
  PLATFORM_API_TOKEN: "cnry-api-token-of-more-than-32-bytes",
  PLATFORM_OPERATOR_TOKEN: "cnry-operator-token-of-more-than-32-bytes",
  ARGOSY_SEALING_KEYS: `k1:${ring(1)}`,
  ARGOSY_JWT_KEYS: `k1:${ring(2)}`,
  LAB_LOGIN: "cnry-key-of-the-provider",
  ERP_TOKEN: "cnry-token-of-the-tool",
  CRM_TOKEN: "cnry-token-of-the-mcp-server",
};

/** A tool that tells what every process below the server shows to the machine's users. Its texts are reversed: they would be masked. */
const lookAround = `
import { readdirSync, readFileSync } from "node:fs";
const read = (pid, file) => { try { return readFileSync(\`/proc/\${pid}/\${file}\`, "utf8"); } catch { return ""; } };
const reversed = (text) => [...text].reverse().join("");
const parentOf = (pid) => Number(/^PPid:\\t(\\d+)$/m.exec(read(pid, "status"))?.[1] ?? 0);
export default {
  name: "look_around",
  description: "Tells what the processes show.",
  parameters: { type: "object", properties: { server: { type: "integer" } }, required: ["server"] },
  async execute({ server }, { secrets }) {
    const below = (pid) => pid === server || (pid > 1 && below(parentOf(pid)));
    const pids = readdirSync("/proc").map(Number).filter((pid) => pid > 0 && below(pid));
    const processes = pids.map((pid) => ({
      pid, command: reversed(read(pid, "cmdline")), variables: reversed(read(pid, "environ")),
    }));
    return { success: true, data: { secret: secrets.erp.length, processes } };
  },
};`;

executableTest("no process shows a secret that it wasn't given, and a backup has none in clear", async () => {
  using folder = temporaryFolder();
  const mcp = stagedCommand("steady");
  writeFiles(folder.path, {
    "providers.yaml": JSON.stringify({
      providers: { lab: { type: "vllm", endpoint: "http://127.0.0.1:9/v1", api_key_env: "LAB_LOGIN" } },
    }),
    "tools/look_around.ts": lookAround,
    "agents/helper.agent.yaml": agentFile("helper", {
      model: { primary: { provider: "lab", model: "test-model" } },
      tools: [
        { name: "look_around", type: "internal", config: { secrets: { erp: "ERP_TOKEN" } } },
        {
          name: "crm",
          type: "mcp",
          config: { transport: "stdio", ...mcp, env: { CRM_TOKEN: `\${CRM_TOKEN}` } },
        },
      ],
    }),
  });
  await using server = await startServer(folder.path, {
    services: ["daemon", "platform", "cloud"],
    env: { ...env, PATH: process.env.PATH ?? "" },
  });
  const headers = { authorization: `Bearer ${env.PLATFORM_API_TOKEN}` };
  const execute = (tool: string, input: object) =>
    server.call("POST", "/v1/tools/execute", { headers, body: { tool, agent: "helper", input } });
  const { body } = await execute("look_around", { server: server.pid });
  const { secret, processes: told } = body.output.data as {
    secret: number;
    processes: { pid: number; command: string; variables: string }[];
  };
  const processes = told.map(({ pid, command, variables }) => ({
    pid,
    command: reversed(command),
    variables: reversed(variables),
  }));
  expect(secret).toBe(env.ERP_TOKEN.length);
  const showing = (part: (one: (typeof processes)[number]) => string) =>
    processes.flatMap((one) =>
      Object.entries(env)
        .filter(([, value]) => encodings(value).some((form) => part(one).includes(form)))
        .map(([name]) => `${name} in ${one.command.replaceAll("\0", " ").slice(0, 120)}`),
    );
  expect(processes.length).toBeGreaterThan(2);
  expect(showing(({ command }) => command)).toEqual([]);
  expect(showing(({ pid, variables }) => (pid === server.pid ? "" : variables))).toEqual([
    expect.stringMatching(/^CRM_TOKEN in .*staged-mcp-server/),
  ]);

  const { code, stdout, stderr } = await argosy(folder.path, ["backup", "made.tar.zst"], { env });
  expect(code, stderr).toBe(0);
  const archive = Bun.zstdDecompressSync(readFileSync(join(folder.path, "made.tar.zst"))).toString("latin1");
  expect(archive).toStartWith("backup.json");
  const kept = readdirSync(folder.path, { recursive: true, withFileTypes: true });
  const files = kept.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(5);
  const seen = [stdout, stderr, archive, ...files.map((file) => readFileSync(file, "latin1"))];
  const clear = Object.values(env).flatMap((value) =>
    encodings(value).filter((form) => seen.some((text) => text.includes(form))),
  );
  expect(clear).toEqual([]);
});
