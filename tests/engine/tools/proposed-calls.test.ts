import { expect, test } from "bun:test";
import { builtinWith } from "../../../src/engine/tools/bind-builtin.ts";
import { builtinTools } from "../../../src/engine/tools/builtin/registry.ts";
import { createMemoryCache } from "../../../src/engine/tools/tool-cache.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { toolPorts } from "../../support/tool-ports.ts";

const clock = new FakeClock();
const templates = {
  compile: () => ({ names: new Set<string>(), render: () => "" }),
  renderUntrusted: async () => "",
  close() {},
};
const ports = toolPorts({ templates, cache: createMemoryCache(clock), clock });

const connection_string = "postgres://ann:secret-canary@db.example:5433/shop";
const query = { query: "SELECT 1" };
const calls: [name: string, config: object, input: object, target: string, operation: string][] = [
  ["write_file", { allowed_paths: [] }, { path: "/srv/a.txt", content: "x" }, "/srv/a.txt", "write"],
  ["read_file", { allowed_paths: [] }, { path: "/srv/a.txt" }, "/srv/a.txt", "read"],
  ["sql_query", { connection_string }, query, "db.example:5433/shop", "query"],
  ["sql_query", { connection_string, read_only: false }, query, "db.example:5433/shop", "execute"],
  ["sql_query", { connection_string: "data/shop.db" }, query, "shop.db", "query"],
  [
    "send_email",
    { smtp_host: "mail.example", from_address: "a@b.c" },
    { to: "bob@example.com", subject: "", body: "" },
    "bob@example.com",
    "send",
  ],
];
for (const [name, config, input, target, operation] of calls) {
  test(`${name}: a proposal says ${operation} ${target}`, () => {
    const builtin = builtinTools.get(name);
    if (builtin === undefined) throw new Error(`no ${name}`);
    const { tool } = builtinWith(builtin, { ...config }, ports);
    expect(tool.describeCall?.({ ...input })).toEqual({ target, operation });
  });
}
