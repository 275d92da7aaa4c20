import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile } from "../../../../support/daemon.ts";
import { startModelServer } from "../../../../support/model-server.ts";
import { program } from "../../../../support/program.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

async function serve(folder: string) {
  const child = Bun.spawn([...program, "serve", "--services", "daemon", "--port", "0", "--json"], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", PLATFORM_AUTO_CONFIG: "false" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const { value } = await child.stdout.getReader().read();
  const { services } = JSON.parse(new TextDecoder().decode(value));
  const url: string = services[0].url;
  const call = async (method: string, path: string, body?: unknown) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(`${url}${path}`, { method, ...sent })).json();
  };
  return { child, call, [Symbol.dispose]: () => child.kill("SIGKILL") };
}

test("after kill -9 in the middle of a call a budget has not forgotten it", async () => {
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
    using server = await serve(folder.path);
    await server.call("PUT", "/v1/costs/budgets/helper", { budget: 10 });
    await server.call("POST", "/v1/agents/helper/run", { query: "hi", session_id: "a" });
    const cut = server
      .call("POST", "/v1/agents/helper/run", { query: "hi", session_id: "b" })
      .catch(() => "cut");
    await asked.promise;
    server.child.kill("SIGKILL");
    await server.child.exited;
    expect(await cut).toBe("cut");
  }
  using server = await serve(folder.path);
  // 15 tokens of the first call; for the second, up to 10 for "hi", and 20 for a possible answer.
  expect(await server.call("GET", "/v1/costs/budgets/helper")).toMatchObject({
    budget: 10,
    spent: 0.045,
    held: 0,
  });
  server.child.kill("SIGTERM");
  expect(await server.child.exited).toBe(0);
  await model.stop();
});
