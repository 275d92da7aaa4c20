import { expect } from "bun:test";
import { join } from "node:path";
import { argosy, executableTest, startServer } from "../../support/executable.ts";
import {
  asOperator,
  atPlatform,
  manifest,
  newTenant,
  operatorToken,
  platformServices,
  tariff,
} from "../../support/platform-program.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

executableTest("from an account to a bill, and a restart keeps all of it", async () => {
  using folder = temporaryFolder();
  const env = { PLATFORM_OPERATOR_TOKEN: operatorToken };
  const { account, tenantId, headers, charged } = await (async () => {
    await using server = await startServer(folder.path, { services: platformServices, env });
    const ask = atPlatform(server);
    expect((await ask("POST", "/api/v1/admin/tariffs", { body: tariff, headers: asOperator })).status).toBe(
      201,
    );
    const made = await newTenant(ask);
    const query = { query: "Do you sell tea?" };
    const ran = await ask("POST", "/api/v1/agents/helper/run", { body: query, headers: made.headers });
    expect(ran).toMatchObject({ status: 200, body: { status: "ok", pricing_status: "priced" } });
    const { tokens_in, tokens_out } = ran.body.usage;
    expect(ran.body.credits_charged_micros).toBe((tokens_in + tokens_out) * 1000);
    const streamed = await ask("POST", "/api/v1/agents/helper/run", {
      body: query,
      headers: { ...made.headers, accept: "text/event-stream" },
    });
    const done = JSON.parse(streamed.text.trim().split("\n\n").at(-1)?.replace("data: ", "") ?? "");
    expect(done).toMatchObject({ type: "done", status: "ok" });
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    return { ...made, charged: ran.body.credits_charged_micros + done.credits_charged_micros };
  })();

  await using server = await startServer(folder.path, { services: platformServices, env });
  const ask = atPlatform(server);
  const { email, password } = account;
  expect((await ask("POST", "/auth/login", { body: { email, password } })).status).toBe(200);
  expect((await ask("GET", "/api/v1/agents/helper", { headers })).body.current_version).toBe(1);
  const usage = (await ask("GET", "/api/v1/usage", { headers })).body;
  expect(usage.credits).toMatchObject({ charged_micros: charged, held_micros: 0 });
  const path = `/api/v1/admin/tenants/${tenantId}/statement`;
  const statement = (await ask("GET", path, { headers: asOperator })).body;
  expect(statement).toMatchObject({ provisional: true, credits: { used_micros: charged } });
  expect((await ask("GET", path, { headers: { ...asOperator, accept: "text/html" } })).text).toContain(
    "<html",
  );
});

executableTest("the command line works on the platform with a server and without", async () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, { "helper.json": manifest });
  const platform = (args: string[], stdin = "") => argosy(folder.path, ["platform", ...args], { stdin });
  expect((await platform(["register", "ada@example.com"], "correct horse\n")).code).toBe(0);
  expect((await platform(["operator", "grant", "ada@example.com"])).code).toBe(0);
  {
    await using _server = await startServer(folder.path, { services: platformServices });
    expect((await platform(["tenants", "create", "Ada Ltd"])).code).toBe(0);
    expect((await platform(["agents", "apply", join(folder.path, "helper.json")])).code).toBe(0);
    expect((await platform(["run", "helper", "Tea?"])).stdout).toContain("Tea?");
    const { operators } = JSON.parse((await platform(["operator", "list", "--json"])).stdout);
    expect(operators).toMatchObject([{ email: "ada@example.com" }]);
  }
  expect((await platform(["run", "helper", "And coffee?"])).stdout).toContain("And coffee?");
  const { invocations } = JSON.parse((await platform(["runs", "helper", "--json"])).stdout);
  expect(invocations).toHaveLength(2);
  const key = await platform(["keys", "create", "shop"]);
  expect(key.stdout).toMatch(/^apk_[\w-]{43}\n$/);
});
