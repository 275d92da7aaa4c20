import { expect, test } from "bun:test";
import { startModelServer } from "../../../support/model-server.ts";
import { readRun, startTenantRuntime, tenantA, tenantB } from "../../../support/tenant-runtime.ts";

/** Registers an agent whose models use the tenant's own keys. */
const manifest = (name: string, model: object) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: { model: { primary: model } },
});

const run = (checksum: string, change: object = {}) => ({
  run_id: crypto.randomUUID(),
  checksum,
  query: "hi",
  session_id: "s",
  context: {},
  stream: false,
  limits: { total_tokens: 64_000, timeout_ms: 30_000 },
  ...change,
});

for (const transport of ["in process", "over the network"] as const) {
  test(`a run calls the vendor with the tenant's key, never with the operator's, ${transport}`, async () => {
    const vendor = await startModelServer([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    await using runtime = await startTenantRuntime({
      transport,
      files: {
        "providers.yaml": JSON.stringify({
          providers: { mine: { type: "openai", endpoint: vendor.url, api_key_env: "VENDOR_KEY" } },
        }),
      },
      variables: { VENDOR_KEY: "operator-key-0123456789" },
    });
    const { client } = runtime;
    const model = { provider: "openai", model: "gpt" };
    const orgs = [
      { tenant: tenantA, slug: "ada", key: "key-of-ada-0123456789" },
      { tenant: tenantB, slug: "eve", key: "key-of-eve-0123456789" },
    ];
    for (const { tenant, slug } of orgs) {
      await client.register(`${slug}__helper`, {
        tenant_id: tenant,
        agent_id: `agent-${slug}`,
        name: "helper",
        namespace: slug,
        keys: "own",
        checksum: "c1",
        spec: manifest("helper", model),
      });
    }
    for (const { slug, key } of orgs) {
      const { ended } = await readRun(
        client.run(`${slug}__helper`, run("c1", { provider_keys: { openai: key } })),
      );
      expect(ended.outcome).toBe("ok");
    }
    await readRun(client.run("ada__helper", run("c1")));
    const sent = vendor.requests.map(({ headers }) => headers.get("authorization"));
    expect(sent).toEqual(["Bearer key-of-ada-0123456789", "Bearer key-of-eve-0123456789", null]);
    expect(runtime.logText()).not.toContain("key-of-ada");
    // The operator's own entry is not a provider of theirs.
    const problems = await client.check(
      tenantA,
      manifest("helper", { provider: "mine", model: "gpt" }),
      "own",
    );
    expect(problems.map(({ path }) => path)).toEqual(["spec.model.primary.provider"]);
    await vendor.stop();
  });
}
