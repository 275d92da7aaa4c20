import { describe, expect, test } from "bun:test";
import { startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";
import { startTenantRuntime, type TenantRuntime, transports } from "../../../support/tenant-runtime.ts";

const json = { "content-type": "application/json" };
const account = (name: string) => ({
  email: `${name}@example.com`,
  password: "correct horse",
  displayName: name,
});

const agent = (name: string, tools: object[]) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: { model: { primary: { provider: "lab", model: "test-model" } }, tools },
});
const docs = { name: "docs", type: "rag", config: { collection: "handbook" } };

/** The model searches. */
const search = { toolCalls: [{ name: "docs", arguments: { query: "When does the shop open?" } }] };

/** Registers a person with a tenant and a key, as a client would. */
async function register(platform: TestPlatform, name: string) {
  const { body: signedIn } = await platform.call("POST", "/auth/register", {
    headers: json,
    body: account(name),
  });
  const asPerson = { authorization: `Bearer ${signedIn.accessToken}`, ...json };
  const { body: tenant } = await platform.call("POST", "/api/v1/tenants", {
    headers: asPerson,
    body: { displayName: name },
  });
  const { body: key } = await platform.call("POST", `/api/v1/tenants/${tenant.id}/keys`, {
    headers: asPerson,
    body: { label: "shop" },
  });
  const headers = { "x-api-key": key.rawKey as string };
  return {
    id: tenant.id as string,
    asPerson,
    ask: (method: string, path: string, body?: unknown, type = "application/json") =>
      platform.call(method, path, { headers: { ...headers, "content-type": type }, body }),
  };
}

const told = (runtime: TenantRuntime) => JSON.stringify(runtime.lab.requests.at(-1)?.body.messages);
const document = "/api/v1/collections/handbook/documents/opening.md";

describe.each(transports)("with a runtime %s", (transport) => {
  test("an agent finds the passage in its tenant's collection, another tenant's agent nothing of it", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: [search, { text: "done" }, search, { text: "done" }],
    });
    await using platform = await startPlatform(sqliteEngine, (deps) => ({
      ...deps,
      runtime: runtime.client,
    }));
    const ada = await register(platform, "ada");
    const bob = await register(platform, "bob");
    const text = "# Opening hours\n\nThe shop opens at nine on weekdays.";
    expect(await ada.ask("PUT", document, text, "text/markdown")).toMatchObject({
      status: 200,
      body: { status: "created", title: "Opening hours" },
    });
    // The same name; it belongs to the other tenant.
    await bob.ask("PUT", document, "Nothing is said here of hours.", "text/plain");
    for (const tenant of [ada, bob]) {
      expect((await tenant.ask("POST", "/api/v1/agents", agent("helper", [docs]))).status).toBe(201);
    }
    const run = "/api/v1/agents/helper/run";
    expect(await ada.ask("POST", run, { query: "When do you open?" })).toMatchObject({
      status: 200,
      body: { status: "ok" },
    });
    expect(told(runtime)).toContain("The shop opens at nine on weekdays.");
    expect((await bob.ask("POST", run, { query: "When do you open?" })).status).toBe(200);
    expect(told(runtime)).not.toContain("opens at nine");
    expect(told(runtime)).toContain("Nothing is said here of hours.");
    expect(await bob.ask("GET", "/api/v1/collections")).toMatchObject({ body: { documents: 1 } });

    // Deleted with its tenant: text and vectors.
    await platform.call("DELETE", `/api/v1/tenants/${ada.id}`, { headers: ada.asPerson });
    expect(await runtime.client.documents.tenants()).toEqual({ tenants: [bob.id] });
    expect((await bob.ask("GET", document)).status).toBe(200);
  });

  test("an agent that another asks searches the same tenant's documents", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: [
        { toolCalls: [{ name: "librarian", arguments: { query: "hours?" } }] },
        search,
        { text: "At nine." },
        { text: "done" },
      ],
    });
    await using platform = await startPlatform(sqliteEngine, (deps) => ({
      ...deps,
      runtime: runtime.client,
    }));
    const ada = await register(platform, "ada");
    await ada.ask("PUT", document, "The shop opens at nine on weekdays.", "text/plain");
    await ada.ask("POST", "/api/v1/agents", agent("librarian", [docs]));
    const asks = { name: "librarian", type: "agent", config: { agent: "librarian" } };
    expect((await ada.ask("POST", "/api/v1/agents", agent("helper", [asks]))).status).toBe(201);
    await ada.ask("POST", "/api/v1/agents/helper/run", { query: "When do you open?" });
    const third = JSON.stringify(runtime.lab.requests[2]?.body.messages);
    expect(third).toContain("The shop opens at nine on weekdays.");
  });
});
