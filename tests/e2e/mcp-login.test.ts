import { expect } from "bun:test";
import { agentFile } from "../support/daemon.ts";
import { executable, executableTest, startServer } from "../support/executable.ts";
import { startOAuthServer } from "../support/staged-oauth.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

executableTest(
  "argosy mcp login waits for the browser, and the agent is let in also after a restart",
  async () => {
    using folder = temporaryFolder();
    await using oauth = await startOAuthServer();
    const tools = [
      { name: "lab", type: "mcp", config: { transport: "http", url: oauth.url, allow_localhost: true } },
    ];
    const model = { primary: { provider: "rehearsal", model: "any" } };
    writeFiles(folder.path, { "agents/helper.agent.yaml": agentFile("helper", { model, tools }) });
    const call = { agent: "helper", tool: "lab__echo", input: {} };
    {
      await using server = await startServer(folder.path);
      const child = Bun.spawn([executable, "mcp", "login", "helper", "lab"], {
        cwd: folder.path,
        env: { PATH: "/usr/bin:/bin", PLATFORM_AUTO_CONFIG: "false" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let told = "";
      for await (const chunk of child.stderr) {
        told += new TextDecoder().decode(chunk);
        const url = /https?:\S+\/authorize\S+/.exec(told)?.[0];
        if (url === undefined) continue;
        const back = await oauth.allow(url);
        const forged = new URL(back);
        forged.searchParams.set("state", "of somebody else");
        expect((await fetch(forged)).status).toBe(400);
        expect((await fetch(back)).status).toBe(200);
        break;
      }
      expect(await child.exited).toBe(0);
      expect((await server.call("POST", "/v1/tools/execute", { body: call })).body.output.data).toBe(
        "let in",
      );
    }
    await using server = await startServer(folder.path);
    expect((await server.call("POST", "/v1/tools/execute", { body: call })).body.output.data).toBe("let in");
  },
);
