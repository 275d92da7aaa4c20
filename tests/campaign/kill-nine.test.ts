import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { argosy, executableTest, startServer } from "../support/executable.ts";
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

    // There is no listener on that socket, so the command opens the store itself.
    const listed = await argosy(folder.path, ["agents", "--json"]);
    expect(JSON.parse(listed.stdout).agents).toHaveLength(1);
    await using server = await startServer(folder.path);
    for (const session of acknowledged) expect(await server.history("assistant", session)).toHaveLength(2);
    expect((await server.call("GET", "/readyz")).status).toBe(200);
  },
);
