import { expect } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { executable, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { settle } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const procMissing = existsSync("/proc/self/task") ? undefined : "no /proc";

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
    procMissing,
  );
}

executableTest(
  "json_transform works after the executable's file was replaced",
  async () => {
    using folder = temporaryFolder();
    const program = join(folder.path, "argosy");
    copyFileSync(executable, program);
    await using server = await startServer(folder.path, { program });
    rmSync(program);
    expect((await transform(server, "{{ data | length }}", [3, 1, 2])).body.output).toEqual({
      success: true,
      data: 3,
    });
  },
  procMissing,
);

function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/** Resolves when the process is gone; only a parent is notified of a process's end, so this polls. */
async function ended(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")))
    await settle();
}
