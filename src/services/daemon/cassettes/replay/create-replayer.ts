import { version } from "../../../../../package.json";
import type { Cassette } from "../../../../contracts/daemon/cassettes/cassette-file.ts";
import type { CassetteComparison, ReplayReport } from "../../../../contracts/daemon/cassettes/cassettes.ts";
import { builtRegistries } from "../../../../engine/agents/manifest-registries.ts";
import { knowledgeOf, type RunnableAgent } from "../../../../engine/agents/runnable-agent.ts";
import { diffCassettes } from "../../../../engine/cassettes/compare/diff-cassettes.ts";
import { cassetteBytesMax } from "../../../../engine/cassettes/read-cassette.ts";
import { renderCassette } from "../../../../engine/cassettes/record/render-cassette.ts";
import { forkRun } from "../../../../engine/cassettes/replay/fork-run.ts";
import type { LiveParts } from "../../../../engine/cassettes/replay/replay-agent.ts";
import type { ModelRouter } from "../../../../engine/models/model-router.ts";
import type { RunPorts } from "../../../../engine/run/run.ts";
import type { TemplateEngine } from "../../../../engine/templates/template.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { isTrusted, type Sender } from "../../../../manifest/senders/sender.ts";
import type { CassetteFolder } from "../cassette-folder.ts";
import type { CassettePorts } from "../replay-cassette.ts";
import type { ReplayProcess } from "./replay-process.ts";

export interface CassetteReplayerOptions {
  /** Renders the templates of cassettes, which may come from any source. */
  templates: TemplateEngine;
  /** Replays cassettes offline. */
  offline: ReplayProcess;
  /** Ports of this daemon's runs, so the cost of forks is counted there. */
  runs: RunPorts;
  routerFor: (provider: string, model: string) => ModelRouter;
  folder: CassetteFolder;
  maskKnown: (text: string) => string;
  /** `spec.observability.record` of runtime.yaml. A recorded fork has its question and answer in the trace in any case. */
  recordsContent: boolean;
}

/** Replays cassettes in a daemon: offline, or as forks that continue with its models and, if requested, its tools. */
export function createReplayer({
  templates,
  offline,
  runs,
  routerFor,
  folder,
  maskKnown,
  recordsContent,
}: CassetteReplayerOptions): Pick<CassettePorts, "replay" | "fork"> {
  const registries = builtRegistries();
  const replay: CassettePorts["replay"] = async (source, request, { tenant, sender, signal }) => {
    const { strict = false, live_tools: liveTools = false, record = false } = request;
    requireFork({ live_tools: liveTools, record });
    return runs.redact(
      await offline.replay(source, { strict, signal, owner: `${tenant} ${sender}` }),
    ) as ReplayReport;
  };
  const fork: CassettePorts["fork"] = async (cassette, request, { tenant, sender, signal }) => {
    const { strict = false, from, model, live_tools: liveTools = false, record = false } = request;
    const live = liveParts(cassette, { model, liveTools, tenant, sender }, runs, routerFor);
    const keep: Parameters<typeof forkRun>[2]["record"] = {
      argosy: version,
      async keep(recording) {
        const developed = renderCassette(recording, { maskKnown, bytesMax: cassetteBytesMax });
        await folder.keep(tenant, developed);
        return developed.summary.id;
      },
    };
    return forkRun(
      cassette,
      { parts: { registries, templates, clock: runs.clock }, ports: runs, tenant, live },
      {
        from: from ?? 0,
        strict,
        signal,
        recordsContent: record || recordsContent,
        ...(record ? { record: keep } : {}),
      },
    );
  };
  return { replay, fork };
}

/**
 * Returns the parts with which a fork continues. A cassette may come from any source, so only agents and models of this installation are
 * called, never endpoints that it names.
 */
function liveParts(
  cassette: Cassette,
  { model, liveTools, tenant, sender }: LiveWishes,
  ports: RunPorts,
  routerFor: CassetteReplayerOptions["routerFor"],
): Omit<LiveParts, "refused"> {
  const { summary } = cassette;
  const isOwners = (agent: RunnableAgent | undefined) =>
    agent !== undefined && isTrusted(agent.sender) && !isTrusted(sender);
  const findAgent: RunPorts["findAgent"] = (of, name) => {
    const agent = ports.findAgent(of, name);
    return isOwners(agent) ? undefined : agent;
  };
  if (model === undefined || liveTools) {
    const owners = namesIn(cassette).find((name) => isOwners(ports.findAgent(tenant, name)));
    if (owners !== undefined) throw ownersAgent(owners, model === undefined ? "from" : "live_tools");
  }
  const chosen = model === undefined ? undefined : namedRouter(model, routerFor);
  if (chosen === undefined) requireLoaded(findAgent(tenant, summary.agent), summary.agent);
  return {
    call: (agent, role) => {
      if (chosen !== undefined) return chosen.call;
      return (request, signal) => {
        const loaded = requireLoaded(findAgent(tenant, agent), agent);
        return loaded.routerFor(role).call(request, signal);
      };
    },
    execute(agent, tool) {
      const loaded = liveTools ? findAgent(tenant, agent) : undefined;
      const bound = loaded?.tools.get(tool);
      if (loaded === undefined || bound === undefined || bound.proposes) return undefined;
      return (input, context) => {
        const { knowledge: _, ...others } = context;
        const { signal } = context;
        return bound.tool.execute(input, { ...others, signal, ...knowledgeOf(loaded, tenant) });
      };
    },
  };
}

interface LiveWishes {
  model: string | undefined;
  liveTools: boolean;
  tenant: string;
  sender: Sender;
}

/** All names of agents in a cassette. */
function namesIn({ summary, agents }: Cassette): string[] {
  const manifests = Object.values(agents).map(
    ({ manifest }) => manifest as { metadata?: { name?: unknown } },
  );
  return [summary.agent, ...Object.keys(agents), ...manifests.map(({ metadata }) => String(metadata?.name))];
}

/** A cassette can contain any prompt for its agents, so an untrusted sender's cassette can't use the models and tools of the owner's agents. */
function ownersAgent(name: string, path: string): AppError {
  const message = `can't go on with agent ${name}, which belongs to this machine's owner`;
  return new AppError("invalid", "invalid_request", `The fork ${message}.`, {
    details: {
      problems: [{ path, message }],
      hint: "Name a `model` and leave `live_tools` out, or fork it as the owner.",
    },
  });
}

function namedRouter(named: string, routerFor: CassetteReplayerOptions["routerFor"]): ModelRouter {
  const [provider = "", ...rest] = named.split("/");
  return routerFor(provider, rest.join("/"));
}

function requireLoaded<T>(agent: T | undefined, name: string): T {
  if (agent !== undefined) return agent;
  throw new AppError(
    "unprocessable",
    "agent_not_loaded",
    `The agent ${name} of the cassette is not loaded here, so its models are not known.`,
    { details: { hint: "Name the model that goes on, as provider/model." } },
  );
}

/** Refuses options of forks for a replay, which would ignore them. */
function requireFork(options: Record<string, boolean>): void {
  const [given] = Object.entries(options).find(([, isGiven]) => isGiven) ?? [];
  if (given === undefined) return;
  throw new AppError(
    "invalid",
    "invalid_request",
    `${given} is for forks, which \`from\` or \`model\` makes.`,
    {
      details: { problems: [{ path: given, message: "is for forks: give `from` or `model` too" }] },
    },
  );
}

/** Returns the first difference between two recordings. */
export function compareCassettes(first: Cassette, second: Cassette): CassetteComparison {
  return diffCassettes(first, second);
}
