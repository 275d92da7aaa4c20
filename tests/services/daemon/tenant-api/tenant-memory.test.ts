import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startTenantRuntime, tenantA } from "../../../support/tenant-runtime.ts";

/** Returns all stored conversations, whoever owns them. */
const rows = (workspace: string) => {
  const database = new Database(join(workspace, ".argosy/daemon.db"), { readonly: true });
  try {
    return JSON.stringify(database.query("SELECT * FROM turns").all());
  } finally {
    database.close();
  }
};

test("an agent that the runtime has not got any more is forgotten by its id", async () => {
  await using runtime = await startTenantRuntime();
  const name = await runtime.register({}, { id: "agent-7" });
  await runtime.run(name, { query: "my word is plum" });
  expect(rows(runtime.workspace)).toContain("plum");
  // As after a restart: the agent is not loaded, but its memory exists.
  await runtime.client.deregister(`t_${tenantA}__helper`, "agent-8");
  expect(rows(runtime.workspace)).toContain("plum");
  await runtime.client.deregister(`t_${tenantA}__helper`, "agent-7");
  expect(rows(runtime.workspace)).not.toContain("plum");
});
