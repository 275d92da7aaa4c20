import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile } from "../../../../support/daemon.ts";
import { executableTest, startServer } from "../../../../support/executable.ts";
import { startModelServer } from "../../../../support/model-server.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

executableTest("after kill -9 in the middle of a call a budget has not forgotten it", async () => {
  using folder = temporaryFolder();
  const asked = Promise.withResolvers<void>();
  const never = new Promise(() => {});
  const model = await startModelServer((_, number) => {
    if (number === 0) return { text: "ok", usage: { input: 10, output: 5 } };
    asked.resolve();
    return { after: never };
  });
  const prices = { "test-model": { in: 1_000_000, out: 1_000_000 } };
  const lab = { type: "openai", endpoint: model.url, prices };
  writeFileSync(join(folder.path, "providers.yaml"), JSON.stringify({ providers: { lab } }));
  mkdirSync(join(folder.path, "agents"));
  const spec = {
    model: { primary: { provider: "lab", model: "test-model", parameters: { max_tokens: 20 } } },
    prompts: { system: "" },
  };
  writeFileSync(join(folder.path, "agents/helper.agent.yaml"), agentFile("helper", spec));
  {
    await using server = await startServer(folder.path);
    await server.call("PUT", "/v1/costs/budgets/helper", { body: { budget: 10 } });
    await server.run("helper", "hi", "a");
    const cut = server.run("helper", "hi", "b").catch(() => "cut");
    await asked.promise;
    server.kill("SIGKILL");
    await server.exited;
    expect(await cut).toBe("cut");
  }
  await using server = await startServer(folder.path);
  // 15 tokens of the first call; for the second, up to 10 for "hi", and 20 for a possible answer.
  expect((await server.call("GET", "/v1/costs/budgets/helper")).body).toMatchObject({
    budget: 10,
    spent: 0.045,
    held: 0,
  });
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  await model.stop();
});
