/**
 * Prints what each group of modules adds to the resident memory of a process, and how long it takes to load:
 *
 *   node_modules/.bin/bun scripts/bench/weight.ts [--rounds 3]
 *
 * Each group is loaded alone in its own process and compared with a process that loads nothing, so groups that share modules overlap. The
 * figures are the least of the rounds. `daemon` is the whole graph of the running daemon.
 */
import { parseArgs } from "node:util";
import { rssMib } from "./process-stats.ts";

const groups: Record<string, () => Promise<unknown>> = {
  nothing: async () => {},
  "drizzle, both dialects": async () => {
    await import("drizzle-orm/pg-core");
    await import("drizzle-orm/bun-sqlite");
    return import("drizzle-orm/bun-sql");
  },
  elysia: () => import("elysia"),
  typebox: async () => {
    await import("@sinclair/typebox/value");
    return import("@sinclair/typebox/compiler");
  },
  yaml: () => import("yaml"),
  "jose (console sessions, tokens)": () => import("jose"),
  "templates (Jinja engine)": async () => {
    const { createTemplateCompiler } = await import("../../src/engine/templates/template-compiler.ts");
    createTemplateCompiler().renderOnce("bench", "{{ name | upper }}", { name: "Ann" }, "none");
  },
  "storage layer": () => import("../../src/storage/open-storage.ts"),
  "http layer": () => import("../../src/http/service-app.ts"),
  manifest: () => import("../../src/manifest/agent/agent.ts"),
  engine: () => import("../../src/engine/run/run-agent.ts"),
  "MCP tools": () => import("../../src/engine/tools/mcp/bind-mcp.ts"),
  "network tools": () => import("../../src/engine/tools/network/create-guarded-network.ts"),
  "model providers": () => import("../../src/engine/models/providers/registry.ts"),
  "documents and vectors": () => import("../../src/services/daemon/rag/open-rag.ts"),
  channels: () => import("../../src/compose/daemon/channels.ts"),
  "daemon service": () => import("../../src/compose/daemon/assemble-daemon.ts"),
  "platform service": () => import("../../src/compose/platform/assemble-platform.ts"),
  "gateway service": () => import("../../src/compose/gateway/assemble-gateway.ts"),
  "cloud service": () => import("../../src/compose/cloud/assemble-cloud.ts"),
  "translator service": () => import("../../src/compose/translator/assemble-translator.ts"),
};

interface Weight {
  mib: number;
  ms: number;
}

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, group: { type: "string" } },
});

/** Loads one group in this process and prints its weight as JSON. */
async function weighHere(group: string): Promise<void> {
  const startedMs = performance.now();
  await groups[group]?.();
  const ms = performance.now() - startedMs;
  Bun.gc(true);
  console.log(JSON.stringify({ mib: rssMib(process.pid), ms } satisfies Weight));
}

async function weigh(group: string): Promise<Weight> {
  const child = Bun.spawn([process.execPath, import.meta.path, "--group", group], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await new Response(child.stdout).text());
}

if (values.group !== undefined) {
  await weighHere(values.group);
  process.exit();
}
const least: Record<string, Weight> = {};
for (let round = 0; round < Number(values.rounds); round++)
  for (const group of Object.keys(groups)) {
    const { mib, ms } = await weigh(group);
    const before = least[group] ?? { mib, ms };
    least[group] = { mib: Math.min(mib, before.mib), ms: Math.min(ms, before.ms) };
  }
const empty = least.nothing?.mib ?? 0;
console.log("| modules | resident, MiB | to load, ms |\n| --- | ---: | ---: |");
for (const [group, { mib, ms }] of Object.entries(least))
  console.log(
    `| ${group} | ${group === "nothing" ? mib.toFixed(1) : `+${(mib - empty).toFixed(1)}`} | ${ms.toFixed(0)} |`,
  );
