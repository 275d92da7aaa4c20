import { expect } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { agentFile } from "../support/daemon.ts";
import { argosy, executable, executableTest, startServer } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";
import { readToEnd } from "../support/read-to-end.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const key = "sk-live-0123456789abcdefghij";

/** A workspace whose agent calls the model server at `url`, with a key and a tool, and works with a second agent. */
function writeWorkspace(folder: string, url: string): void {
  writeFiles(folder, {
    "providers.yaml": JSON.stringify({
      providers: { lab: { type: "openai", endpoint: url, api_key_env: "LAB_KEY" } },
    }),
    "agents/clock.agent.yaml": agentFile("clock", {
      prompts: { system: "You know the time. Today is {{ current_date }}." },
      tools: [
        { name: "datetime_now", type: "builtin" },
        { name: "ask_poet", type: "agent", config: { agent: "poet" } },
      ],
      guardrails: { output: [{ type: "pii_detection", action: "redact" }] },
    }),
    "agents/poet.agent.yaml": agentFile("poet"),
  });
}

const startModel = () =>
  startModelServer(({ body }) => {
    const last = body.messages.at(-1);
    if (body.tools === undefined) return { text: ["Noon", " is", " soon."] };
    if (last?.role === "tool") return { text: ["It is noon; ", "write to ann@exam", "ple.com."] };
    return {
      toolCalls: [
        { name: "datetime_now", arguments: { timezone: "Asia/Tokyo" } },
        { name: "ask_poet", arguments: { query: "A line on noon" } },
      ],
    };
  });

/** Runs the program without network access, in an empty folder. */
async function withoutNetwork(folder: string, ...args: string[]) {
  const child = Bun.spawn(["unshare", "-rn", executable, ...args], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin" },
    stdout: "pipe",
    stderr: "pipe",
  });
  return readToEnd(child);
}

const cutOff = Bun.which("unshare") !== null && Bun.spawnSync(["unshare", "-rn", "true"]).exitCode === 0;

executableTest(
  "a run is recorded, the model server goes, and the run is replayed where there is no network and no workspace",
  async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const model = await startModel();
    writeWorkspace(folder.path, model.url);
    const env = { LAB_KEY: key };
    const file = join(elsewhere.path, "it.cassette.json");
    const query = `What time is it? My key is ${key}.`;
    const ran = await argosy(folder.path, ["run", "clock", query, "--record", file], { env });
    expect(ran).toMatchObject({ code: 0, stdout: "It is noon; write to [EMAIL].\n" });
    expect(model.requests.length).toBe(3);

    const again = join(elsewhere.path, "again.cassette.json");
    {
      await using server = await startServer(folder.path, { env });
      const asked = await argosy(folder.path, ["run", "clock", "And now?", "--record", again, "--json"], {
        env,
      });
      expect(JSON.parse(asked.stdout)).toMatchObject({ response: "It is noon; write to [EMAIL]." });
      expect((await server.call("GET", "/v1/cassettes")).body.cassettes).toHaveLength(2);
    }
    await model.stop();
    rmSync(folder.path, { recursive: true });

    for (const path of [file, again]) {
      const text = readFileSync(path, "utf8");
      expect(text).not.toContain(key);
      expect(text).not.toContain(Buffer.from(key).toString("base64").slice(0, -3));
      const replayed = await withoutNetwork(elsewhere.path, "replay", path, "--strict");
      expect(replayed).toMatchObject({ code: 0, stderr: "" });
      expect(replayed.stdout).toMatch(/^identical \(\d+ events, 3 model calls, 2 tool calls\)\n$/);
    }
    const compared = await withoutNetwork(elsewhere.path, "replay", "diff", file, again);
    expect(compared.code).toBe(1);
    expect(compared.stdout).toContain("The runs were asked different things: query differs.");
  },
  cutOff ? undefined : "no namespace without a network can be made here",
);
