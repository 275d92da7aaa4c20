/**
 * Measures the loading of many agents: reading and checking their texts, building them, all of it from a folder like the daemon's start,
 * and the check for changes every second. Times are wall clock; that of a check is CPU time.
 *
 *   bun scripts/bench/build-agents.ts [agents] [rounds]
 */

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childCommand } from "../../src/compose/child-command.ts";
import { openOnnx } from "../../src/compose/daemon/onnx.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { createProviderFetch } from "../../src/compose/provider-fetch.ts";
import { buildAgent } from "../../src/engine/agents/build-agent.ts";
import { memoryPins } from "../../src/engine/tools/mcp/tool-pins.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { agentKind } from "../../src/manifest/agent/agent-kind.ts";
import { checkReferences } from "../../src/manifest/check-references.ts";
import { checkFile } from "../../src/manifest/schema/manifest-kind.ts";
import { AgentCatalog } from "../../src/services/daemon/agents/agent-catalog.ts";
import { AgentLibrary } from "../../src/services/daemon/agents/agent-library.ts";
import { createOperatorParts } from "../../src/services/daemon/agents/operator-parts.ts";
import { openPausedAgents } from "../../src/services/daemon/agents/paused-agents.ts";
import { observeVariables } from "../../src/services/daemon/manifests/observed-variables.ts";
import { rssMib } from "./process-stats.ts";

const count = Number(process.argv[2] ?? 1000);
const rounds = Number(process.argv[3] ?? 3);
const looks = 20;

/** Returns a typical agent: every third has a template, every tenth calls its neighbour. */
function agentText(index: number): string {
  const hasTemplate = index % 3 === 0;
  const neighbour =
    index % 10 === 0 && index > 0
      ? `    - {name: neighbour, type: agent, config: {agent: agent-${index - 1}}}\n`
      : "";
  return `# Agent ${index}
apiVersion: platform/v1
kind: Agent
metadata:
  name: agent-${index}
  version: 1.2.0
  labels: {team: desk, tier: "${index % 5}"}
spec:
  identity:
    display_name: Agent ${index}
    description: Answers questions of kind ${index}.
    role: assistant
  model:
    primary:
      provider: vllm
      model: model-${index % 7}
      endpoint: http://127.0.0.1:8001/v1
      parameters: {temperature: 0.2, max_tokens: 512}
    fallback:
      provider: rehearsal
      model: rehearsal
    routing: {strategy: quality_first}
  prompts:
    system: |
      You are ${hasTemplate ? "{{ agent_name }}" : `agent ${index}`}, a careful assistant of the desk.
      ${hasTemplate ? "{% if context.page %}The user looks at {{ context.page }}.{% endif %}" : "Answer in one or two sentences."}
      Never guess the time; use your tools.
  orchestration:
    pattern: react
    max_iterations: 6
    timeout_seconds: 60
  tools:
    - name: datetime_now
      type: builtin
    - name: cache_store
      type: builtin
      rate_limit: {max_calls: 20, window_seconds: 60}
${neighbour}  memory:
    conversational: {strategy: sliding_window, max_turns: 20}
  guardrails:
    input:
      - {type: max_length, action: block, max_chars: 4000}
      - {type: pii_detection, action: redact, entities: [email, phone]}
    output:
      - {type: pii_detection, action: redact}
`;
}

const workspace = mkdtempSync(join(tmpdir(), "argosy-bench-"));
const pathOf = (index: number) => join(workspace, "agents", `${index % 20}`, `agent-${index}.agent.yaml`);
for (let index = 0; index < Math.max(count, 20); index++) {
  mkdirSync(join(workspace, "agents", `${index % 20}`), { recursive: true });
  if (index < count) writeFileSync(pathOf(index), agentText(index));
}

function show(name: string, ms: number, unit = "ms"): void {
  const each = `${((ms * 1000) / count).toFixed(1)} µs per agent`;
  console.log(`  ${name.padEnd(34)}${ms.toFixed(2).padStart(9)} ${unit.padEnd(7)}${each.padStart(22)}`);
}

async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Returns the longest time in which nothing else got a turn while `work` was running. */
async function longestPause(work: () => Promise<void>): Promise<number> {
  let isOver = false;
  let longestMs = 0;
  const done = work().finally(() => {
    isOver = true;
  });
  let lastMs = performance.now();
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
  }
  await done;
  return longestMs;
}

async function cpuMs(times: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

async function measure(round: number): Promise<void> {
  const config = loadConfig({ workspace });
  const variables = observeVariables(config.variable);
  const parts = createOperatorParts(config, {
    clock: systemClock,
    newId,
    sources: { file: config.providers, variable: variables.read },
    conversationsOf: () => ({ recent: async () => [], append: async () => {}, clear: async () => 0 }),
    modelCalled: () => {},
    log: silentLogger,
    toolPins: memoryPins(),
    fetch: createProviderFetch(systemClock),
    helperCommand: childCommand,
    secret: () => undefined,
    onnx: openOnnx(config.dataFolder, silentLogger, systemClock),
    sealed: true,
  });
  const kind = agentKind(parts.registries);
  console.log(`round ${round}, ${count} agents`);

  const texts = Array.from({ length: count }, (_, index) => agentText(index));
  const checked = texts.map((text) => () => {
    const read = checkFile(kind, text, config.variable);
    if ("problems" in read) throw new Error(JSON.stringify(read.problems));
    return read.manifest;
  });
  let manifests: ReturnType<(typeof checked)[number]>[] = [];
  show(
    "parse and check",
    await timed(() => {
      manifests = checked.map((check) => check());
    }),
  );
  show("build", await timed(() => manifests.map((manifest) => buildAgent(manifest, parts))));

  const catalog = new AgentCatalog(openPausedAgents(undefined));
  const library = new AgentLibrary({
    loader: {
      folder: join(workspace, "agents"),
      workspace,
      kind,
      variables,
      vet: () => [],
      build: (manifest) => buildAgent(manifest, parts),
    },
    catalog,
    persist: false,
    checkTogether: checkReferences,
    forget: async () => {},
    // The files appear one minute old: files that changed just now are read again until they are settled.
    clock: { ...systemClock, now: () => new Date(Date.now() + 60_000) },
    log: silentLogger,
  });
  let pauseMs = 0;
  show(
    "first look",
    await timed(async () => {
      pauseMs = await longestPause(() => library.look());
    }),
  );
  console.log(`  longest pause in it ${pauseMs.toFixed(1)} ms; ready ${catalog.loadedCount}`);
  show("look when nothing changed", await cpuMs(looks, () => library.look()), "ms CPU");
  appendFileSync(pathOf(0), `# changed in round ${round}\n`);
  show("look when one file changed", await cpuMs(1, () => library.look()), "ms CPU");
  console.log(`  RSS ${rssMib(process.pid).toFixed(0)} MiB`);
  parts.templates.close();
}

try {
  for (let round = 1; round <= rounds; round++) await measure(round);
} finally {
  rmSync(workspace, { recursive: true });
}
