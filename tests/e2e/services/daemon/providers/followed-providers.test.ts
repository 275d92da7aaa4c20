import { expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";
import { startModelServer } from "../../../../support/model-server.ts";
import { postgresMissing, postgresServer } from "../../../../support/postgres.ts";

const key = "sk-a-key-nobody-may-see";
const path = "/v1/system/providers/acme";
const usesAcme = agentFile("caller", { model: { primary: { provider: "acme", model: "big" } } });

test.skipIf(postgresMissing !== undefined)(
  "processes that share a database follow each other's providers within a second",
  async () => {
    const vendor = await startModelServer(() => ({ text: "From the vendor." }));
    await using _ended = { [Symbol.asyncDispose]: () => vendor.stop() };
    const setup = (more: object = {}) => ({ type: "openai", endpoint: vendor.url, ...more });
    const databaseUrl = await (await postgresServer()).createDatabase();
    const ring = () => `k1:${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;
    const keys = { sealingKeys: ring(), jwtKeys: ring() };
    const options = {
      agents: { "caller.agent.yaml": usesAcme },
      configure: (config: TestDaemon["config"]) => ({
        ...config,
        databaseUrl,
        secrets: { ...config.secrets, ...keys },
      }),
    };
    await using one = await startDaemon(options);
    await using other = await startDaemon(options);
    const stored = async ({ call }: TestDaemon) =>
      (await call("GET", "/v1/system/providers/stored")).body.providers.map(
        ({ name }: { name: string }) => name,
      );
    /** Lets time pass until the other process has read the database. */
    const followed = async (names: string[]) => {
      while (!Bun.deepEquals(await stored(other), names)) await other.clock.advance(1000);
    };

    expect((await other.run("caller", { query: "hi" })).status).not.toBe(200);
    await one.asOwner("PUT", path, { body: setup({ api_key: key }) });
    await followed(["acme"]);
    expect((await other.run("caller", { query: "hi" })).body.response).toBe("From the vendor.");
    expect(vendor.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${key}`);
    // A change of a provider that the other process has not read yet keeps its newest key.
    await one.asOwner("PUT", path, { body: setup({ api_key: "sk-the-newest-key" }) });
    await other.asOwner("PUT", path, { body: setup({ context_window: 1000 }) });
    await other.run("caller", { query: "hi" });
    expect(vendor.requests.at(-1)?.headers.get("authorization")).toBe("Bearer sk-the-newest-key");
    await one.asOwner("DELETE", path);
    await followed([]);
    expect(other.logLines().filter((line) => line.includes(key))).toEqual([]);
  },
);
