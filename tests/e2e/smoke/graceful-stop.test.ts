import { expect } from "bun:test";
import { agentFile } from "../../support/daemon.ts";
import { executableTest, startServer } from "../../support/executable.ts";
import { type ModelStep, startModelServer } from "../../support/model-server.ts";
import { openSocket } from "../../support/raw-http.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

/** A workspace with one agent, `slow`, whose model answers when the test allows it. */
async function slowWorkspace() {
  const folder = temporaryFolder();
  const released = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const model = await startModelServer((): ModelStep => {
    asked.resolve();
    return { text: "At last.", after: released.promise };
  });
  writeFiles(folder.path, {
    "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: model.url } } }),
    "agents/slow.agent.yaml": agentFile("slow"),
  });
  return {
    path: folder.path,
    /** Resolves when the model has been called. */
    asked: asked.promise,
    release: () => released.resolve(),
    async [Symbol.asyncDispose]() {
      await model.stop();
      folder[Symbol.dispose]();
    },
  };
}

/** A connection made before the stop. Collects all bytes until the server closes it. */
async function earlyConnection(port: number) {
  const socket = await openSocket(port);
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on("error", () => undefined);
  const received = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  return { ask: () => void socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), received };
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  executableTest(
    `${signal} lets a run finish and be recorded, takes nothing new, and ends with 0`,
    async () => {
      await using workspace = await slowWorkspace();
      {
        await using server = await startServer(workspace.path);
        const early = await earlyConnection(server.port);
        const run = server.run("slow", "Take your time.", "s1");
        await workspace.asked;
        server.kill(signal);
        await server.logged("argosy.stopping");
        expect(await server.call("GET", "/healthz").catch((thrown) => thrown.code)).toBe("ECONNREFUSED");
        early.ask();
        expect(await early.received).toBe("");
        workspace.release();
        expect(await run).toMatchObject({ status: 200, body: { response: "At last." } });
        expect(await server.exited).toBe(0);
      }
      await using again = await startServer(workspace.path);
      expect(await again.history("slow", "s1")).toEqual(["user: Take your time.", "assistant: At last."]);
      const { traces } = (await again.call("GET", "/v1/traces")).body;
      expect(traces).toMatchObject([{ agent: "slow", session_id: "s1", status: "OK" }]);
    },
  );
}

executableTest("a WebSocket gets its answer, then a close that says that the server stops", async () => {
  await using workspace = await slowWorkspace();
  await using server = await startServer(workspace.path);
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/ws/agent/slow`);
  const types: string[] = [];
  socket.onopen = () => socket.send(JSON.stringify({ query: "Take your time." }));
  socket.onmessage = ({ data }) => void types.push(JSON.parse(String(data)).type);
  const closed = new Promise<CloseEvent>((resolve) => {
    socket.onclose = resolve;
  });
  await workspace.asked;
  server.kill("SIGTERM");
  await server.logged("argosy.stopping");
  workspace.release();
  expect((await closed).code).toBe(1001);
  expect(types.at(-1)).toBe("done");
  expect(await server.exited).toBe(0);
});

executableTest(
  "a second signal ends it at once, with 130; the next start finds nothing in its way",
  async () => {
    await using workspace = await slowWorkspace();
    {
      await using server = await startServer(workspace.path);
      const run = server.run("slow", "Never mind.").catch(() => "cut off");
      await workspace.asked;
      server.kill("SIGTERM");
      await server.logged("argosy.stopping");
      server.kill("SIGTERM");
      expect(await server.exited).toBe(130);
      expect(await run).toBe("cut off");
    }
    await using again = await startServer(workspace.path);
    expect((await again.call("GET", "/readyz")).status).toBe(200);
  },
);
