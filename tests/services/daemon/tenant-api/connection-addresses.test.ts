import { expect, test } from "bun:test";
import { echoServer } from "../../../support/network-servers.ts";
import { startTenantRuntime } from "../../../support/tenant-runtime.ts";

const canary = "canary-7f3a9c1e5b-secret";

/** Lets a member's agent call a webhook with a connection, and returns what its server saw and what the model was told. */
async function called(connection: { base_url?: string }, path: string) {
  const server = echoServer();
  try {
    const base = server.at("127.0.0.1", "");
    await using runtime = await startTenantRuntime({
      runtime: { network: { allow: ["127.0.0.0/8"] } },
      script: (_, number) =>
        number === 0 ? { toolCalls: [{ name: "erp", arguments: {} }] } : { text: "Done." },
    });
    const config = { url: `${base}${path}`, method: "GET", connection: "erp" };
    const name = await runtime.register({
      tools: [{ name: "erp", type: "webhook", parameters: { type: "object" }, config }],
    });
    const { base_url } = connection;
    await runtime.run(name, {
      connections: {
        erp: {
          ...(base_url !== undefined && { base_url: `${base}${base_url}` }),
          material: { token: canary },
        },
      },
    });
    const told = JSON.stringify(runtime.lab.requests.at(-1)?.body);
    return { seen: server.seen.map(({ path: at, headers }) => [at, headers.get("authorization")]), told };
  } finally {
    server.stop();
  }
}

test("a connection goes to addresses below its base_url", async () => {
  expect((await called({ base_url: "/api" }, "/api/orders")).seen).toEqual([
    ["/api/orders", `Bearer ${canary}`],
  ]);
});

test.each([
  ["without base_url is not used", {}, "/steal", "has no base_url"],
  ["is not used for a path beside its base_url", { base_url: "/api" }, "/apix", "another address"],
  ["is not used for an encoded way out", { base_url: "/api" }, "/api/..%2fsteal", "another address"],
] as const)("a connection %s: nothing is called", async (_, connection, path, told) => {
  const call = await called(connection, path);
  expect(call.seen).toEqual([]);
  expect(call.told).toContain(told);
  expect(call.told).not.toContain(canary);
});

test("a redirect away from base_url is followed without the credential", async () => {
  const { seen } = await called({ base_url: "/api" }, `/api/to?s=302&l=${encodeURIComponent("/steal")}`);
  expect(seen).toEqual([
    ["/api/to", `Bearer ${canary}`],
    ["/steal", null],
  ]);
});
