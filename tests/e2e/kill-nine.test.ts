import { expect } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argosy, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { settle } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

executableTest(
  "kill -9 during runs: each acknowledged turn is there, and nothing left behind is in the way",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    const acknowledged: string[] = [];
    for (let round = 0; round < 4; round++) {
      await using server = await startServer(folder.path);
      const enough = Promise.withResolvers<void>();
      let answered = 0;
      const runs = Array.from({ length: 40 }, async (_, number) => {
        const session = `r${round}-${number}`;
        await server.run("assistant", `My number is ${number}.`, session);
        acknowledged.push(session);
        answered += 1;
        if (answered === 5 + 6 * round) enough.resolve();
      });
      const settled = Promise.allSettled(runs);
      await enough.promise;
      server.kill("SIGKILL");
      expect(await server.exited).toBe(137);
      await settled;
    }
    expect(existsSync(join(folder.path, ".argosy/control.sock"))).toBe(true);

    // Nobody answers on that socket: the command opens the store itself.
    const listed = await argosy(folder.path, ["agents", "--json"]);
    expect(JSON.parse(listed.stdout).agents).toHaveLength(1);
    await using server = await startServer(folder.path);
    for (const session of acknowledged) expect(await server.history("assistant", session)).toHaveLength(2);
    expect((await server.call("GET", "/readyz")).status).toBe(200);
  },
);

const transform = (server: ServerProcess, template: string, data: unknown) =>
  server.call("POST", "/v1/tools/execute", { body: { tool: "json_transform", input: { data, template } } });

for (const [how, signal] of [
  ["a normal stop", "SIGTERM"],
  ["kill -9", "SIGKILL"],
] as const) {
  executableTest(
    `json_transform works, and ${how} leaves no process behind`,
    async () => {
      using folder = temporaryFolder();
      await using server = await startServer(folder.path);
      const answer = await transform(server, "{{ data | sort | tojson }}", [3, 1, 2]);
      expect(answer.body.output).toEqual({ success: true, data: [1, 2, 3] });
      const children = childrenOf(server.pid);
      expect(children).toHaveLength(1);
      server.kill(signal);
      await server.exited;
      for (const child of children) await ended(child);
    },
    existsSync("/proc/self/task") ? undefined : "no /proc",
  );
}

function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/** Resolves when the process is gone; nothing tells the end of a process that isn't one's own child. */
async function ended(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")))
    await settle();
}
