import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Reached, reachDaemon } from "../../src/command/reach.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { controlSocketPath } from "../../src/storage/files/data-folder.ts";
import { agentFile, startDaemon } from "../support/daemon.ts";
import { tableState } from "../support/lance-store.ts";
import { startModelServer } from "../support/model-server.ts";
import { refusal } from "../support/refusal.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

/** Reaches the daemon of a configuration; closes it at the end of the block. */
async function reached(config: Parameters<typeof reachDaemon>[0]): Promise<Reached & AsyncDisposable> {
  const daemon = await reachDaemon(config, { log: silentLogger });
  return { ...daemon, [Symbol.asyncDispose]: () => daemon.close() };
}

test("a running server is reached through its control socket", async () => {
  await using daemon = await startDaemon();
  await using found = await reached(daemon.config);
  expect(found.via).toBe("server");
  const { response } = await found.client.run("helper", { query: "hi", session_id: "s" });
  expect(response).toBe("Hello there.");
  const { body } = await daemon.call("GET", "/v1/memory/helper/history/s");
  expect(body.messages).toHaveLength(2);
});

test.each([
  ["none runs", () => {}],
  ["one was killed and left its socket", (path: string) => writeFileSync(path, "")],
])("where %s, the data folder is opened in this process", async (_what, leave) => {
  using folder = temporaryFolder();
  const config = await (async () => {
    await using daemon = await startDaemon({ workspace: folder.path });
    await daemon.run("helper", { query: "hi", session_id: "s" });
    return daemon.config;
  })();
  leave(controlSocketPath(config.dataFolder));
  await using found = await reached(config);
  expect(found.via).toBe("store");
  expect((await found.client.history("helper", "s")).messages).toHaveLength(2);
  expect((await found.client.listAgents()).agents).toMatchObject([{ name: "helper", status: "ready" }]);
  expect((await refusal(found.client.getAgent("nobody"))).code).toBe("agent_not_found");
  // Two owners of one folder would lose each other's writes.
  expect((await refusal(reachDaemon(config, { log: silentLogger }))).kind).toBe("conflict");
});

test("in this process too, frames come as they are made, and leaving cancels the provider's call", async () => {
  using folder = temporaryFolder();
  const config = await (async () => {
    await using daemon = await startDaemon({ workspace: folder.path });
    return daemon.config;
  })();
  const lab = await startModelServer([
    { text: ["one ", "two"], hold: { afterEvents: 1, until: new Promise(() => {}) } },
  ]);
  const providers = {
    ...config.providers,
    providers: { lab: { type: "vllm", endpoint: lab.url, prices: {} } },
  };
  await using found = await reached({ ...config, providers });
  for await (const frame of found.client.stream("helper", { query: "hi" })) {
    expect(frame).toEqual({ type: "token", content: "one " });
    break;
  }
  await lab.requests[0]?.cut;
  await lab.stop();
});

test("a command's own daemon ends what it sums up before it is given back", async () => {
  using folder = temporaryFolder();
  const memory = { conversational: { strategy: "summary", max_turns: 2 } };
  const answered = Promise.withResolvers<void>();
  const config = await (async () => {
    await using daemon = await startDaemon({
      workspace: folder.path,
      agents: { "helper.agent.yaml": agentFile("helper", { memory }) },
    });
    await daemon.run("helper", { query: "1", session_id: "s" });
    return daemon.config;
  })();
  const lab = await startModelServer([
    { text: ["two"] },
    { text: ["Summed ", "up."], hold: { afterEvents: 1, until: answered.promise } },
  ]);
  const providers = {
    ...config.providers,
    providers: { lab: { type: "vllm", endpoint: lab.url, prices: {} } },
  };
  const found = await reachDaemon({ ...config, providers }, { log: silentLogger });
  expect((await found.client.run("helper", { query: "2", session_id: "s" })).response).toBe("two");
  const closed = found.close();
  answered.resolve();
  await closed;
  await lab.stop();
  await using again = await reached(config);
  const { summary } = await again.client.history("helper", "s", { full: true });
  expect(summary).toMatchObject({ text: "Summed up.", up_to_seq: 2 });
});

test("what a command has written is indexed before it ends, as a server's worker would later", async () => {
  using folder = temporaryFolder();
  const config = await (async () => {
    await using daemon = await startDaemon({ workspace: folder.path });
    return daemon.config;
  })();
  {
    await using found = await reached(config);
    for (let at = 0; at < 40; at++)
      await found.client.ragIngest({
        collection: "notes",
        documents: [{ id: `note${at}`, text: `Note ${at}.` }],
      });
  }
  const state = await tableState(join(config.dataFolder, "vectors"));
  expect(state).toMatchObject({ rows: 40, files: 1, unindexed: 0 });
});
