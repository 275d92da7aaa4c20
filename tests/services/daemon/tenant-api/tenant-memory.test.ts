import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startTenantRuntime, tenantA, transports } from "../../../support/tenant-runtime.ts";

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

/** Returns the rows of all tables that have a text. */
const rowsWith = (workspace: string, text: string) => {
  const database = new Database(join(workspace, ".argosy/daemon.db"), { readonly: true });
  try {
    const tables = database.query("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return (tables as { name: string }[])
      .flatMap(({ name }) =>
        database
          .query(`SELECT * FROM "${name}"`)
          .all()
          .map((row) => `${name}: ${JSON.stringify(row)}`),
      )
      .filter((row) => row.includes(text));
  } finally {
    database.close();
  }
};

test.each(transports)(
  "%s: a session that is forgotten leaves no text in any table, of each kind of memory and of traces; another stays",
  async (transport) => {
    await using runtime = await startTenantRuntime({ transport });
    const memory = { conversational: {}, semantic: {}, episodic: {} };
    const name = await runtime.register({ memory }, { id: "agent-7" });
    // The other way round, the second run would recall the first.
    await runtime.run(name, { query: "my word is pear", session_id: "of-bea", trace_content: true });
    await runtime.run(name, { query: "my word is plum", session_id: "of-ana/42", trace_content: true });
    const session = { tenantId: tenantA, agentId: "agent-7", sessionId: "of-ana/42" };
    await runtime.client.forgetSession(name, session);
    await runtime.client.forgetRuns(tenantA, session.sessionId);
    await runtime.client.forgetRuns(tenantA, "of-nobody");
    for (const text of ["plum", "of-ana"]) expect(rowsWith(runtime.workspace, text)).toEqual([]);
    expect(rowsWith(runtime.workspace, "pear")).not.toEqual([]);
    // Nothing is left to forget.
    await runtime.client.forgetSession(name, session);
  },
);

test.each([
  ["whose agent is deleted meanwhile, as by another node", "other"],
  ["whose session is forgotten meanwhile", undefined],
])("a run in progress %s stores nothing", async (_, deleted) => {
  const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  await using runtime = await startTenantRuntime({
    script: () => {
      begin();
      return { text: "late", after: held };
    },
  });
  const memory = { conversational: {}, semantic: {}, episodic: {} };
  const name = await runtime.register({ memory }, { id: "agent-7" });
  const running = runtime.run(name, { query: "my word is plum", session_id: "of-ana" });
  await asked;
  await runtime.clock.advance(5);
  const session = { tenantId: tenantA, agentId: "agent-7", sessionId: "of-ana" };
  if (deleted === undefined) await runtime.client.forgetSession(name, session);
  // Its agent is not loaded in the node that deletes it.
  else await runtime.client.deregister(`t_${tenantA}__${deleted}`, "agent-7");
  answer();
  await running;
  await runtime.client.forgetRuns(tenantA, "of-ana");
  expect(rowsWith(runtime.workspace, "plum")).toEqual([]);
});
