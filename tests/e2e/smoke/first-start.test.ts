import { expect } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { argosy, executableTest, type ServerProcess, startServer } from "../../support/executable.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const question = "What time is it in Tokyo?";

executableTest(
  "the first start makes secrets for this user alone and says how to read them, never what they are",
  async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, ".argosy");
    await using first = await startServer(folder.path);
    expect(await first.logged("secrets.generated")).toMatchObject({
      file: join(data, "secrets.json"),
      read_them_with: "argosy secrets show",
    });
    const secrets = readFileSync(join(data, "secrets.json"), "utf8");
    const modes = [".", "secrets.json", "control.sock", "daemon.db", "pid"].map(
      (name) => statSync(join(data, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
    for (const [, key = ""] of secrets.matchAll(/:([^":]{20,})"/g)) expect(first.stderr()).not.toContain(key);
    first.kill("SIGTERM");
    expect(await first.exited).toBe(0);

    await using second = await startServer(folder.path);
    await second.logged("service.listening");
    expect(second.stderr()).not.toContain("secrets.generated");
    expect(readFileSync(join(data, "secrets.json"), "utf8")).toBe(secrets);
  },
);

executableTest(
  "every way to ask: health, run, event stream, WebSocket; a restart keeps what was said",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    let remembered: string[];
    {
      await using server = await startServer(folder.path);
      for (const path of ["/health", "/v1/health", "/healthz", "/readyz", "/docs", "/openapi.json"])
        expect(await server.call("GET", path)).toMatchObject({ status: 200 });
      const run = await server.run("assistant", question, "s1");
      expect(run.body).toMatchObject({
        tool_calls: [{ tool: "datetime_now" }],
        metadata: { simulated: true },
      });
      const streamed = await server.call("POST", "/v1/agents/assistant/run", {
        body: { query: question, session_id: "s1" },
        headers: { accept: "text/event-stream" },
      });
      const socket = await overSocket(server, "assistant", { query: question, session_id: "s1" });
      for (const frames of [framesOf(streamed.text), socket]) {
        const tokens = frames.filter(({ type }) => type === "token");
        expect(frames.at(-1)).toMatchObject({
          type: "done",
          response: tokens.map(({ content }) => content).join(""),
        });
        expect(tokens.length).toBeGreaterThan(1);
        expect(frames.map(({ type }) => type)).toContain("tool_result");
      }
      remembered = await server.history("assistant", "s1");
      expect(remembered).toHaveLength(6);
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
    }
    await using again = await startServer(folder.path);
    expect(await again.history("assistant", "s1")).toEqual(remembered);
    await again.run("assistant", "And what is the time in Oslo?", "s1");
    expect(await again.history("assistant", "s1")).toHaveLength(8);
  },
);

interface Frame {
  type: string;
  content?: string;
}

function framesOf(eventStream: string): Frame[] {
  return eventStream.match(/(?<=^data: ).*$/gm)?.map((line) => JSON.parse(line)) ?? [];
}

/** Returns the frames that answer one query, up to the last. */
async function overSocket(server: ServerProcess, agent: string, request: object): Promise<Frame[]> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/ws/agent/${agent}`);
  const frames: Frame[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => socket.send(JSON.stringify(request));
    socket.onerror = () => reject(new Error("The WebSocket failed."));
    socket.onmessage = ({ data }) => {
      const frame: Frame = JSON.parse(String(data));
      frames.push(frame);
      if (frame.type === "done" || frame.type === "error") resolve();
    };
  });
  socket.close();
  return frames;
}
