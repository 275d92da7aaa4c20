import { statfs } from "node:fs/promises";
import { relative } from "node:path";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import type { Breakers } from "../../../engine/models/breakers.ts";
import type { ResolveOptions } from "../../../engine/models/model-sources.ts";
import type { WorkspacePrograms } from "../../../engine/tools/workspace-programs.ts";
import { fixOfTrust } from "../../../engine/tools/workspace-programs.ts";
import type { Clock } from "../../../kit/clock.ts";
import { asSentence } from "../../../kit/text/as-sentence.ts";
import type { RuntimeFile } from "../../../manifest/files/runtime-file.ts";
import { isTrusted } from "../../../manifest/senders/sender.ts";
import type { RetrievalParts } from "../../../retrieval/retrieval-ports.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { AgentCatalog, CatalogEntry } from "../agents/agent-catalog.ts";
import { senderOf } from "../manifests/manifest-sender.ts";
import type { PipelineLibrary } from "../rag/pipelines/pipeline-library.ts";
import type { DoctorCheckup } from "../system/doctor.ts";
import { type OwnToolFiles, ownToolPaths, textOf } from "../tools/own-tool-files.ts";
import { checkDescriptors } from "./check-descriptors.ts";
import { checkMcp } from "./check-mcp.ts";
import { checkProviders } from "./check-providers.ts";
import { checkRedis } from "./check-redis.ts";
import { checkRetrieval } from "./check-retrieval.ts";
import { checkVectors } from "./check-vectors.ts";

type Finding = Omit<DoctorCheck, "name">;

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Settings that the doctor shows and checks. */
export interface DoctorSettings {
  workspace: string;
  dataFolder: string;
  cacheFolder?: string | undefined;
  redisUrl?: string;
  runtime: RuntimeFile;
  programs: Pick<WorkspacePrograms, "refusal">;
  observability: { retention: { days: number; bytesMax: number } };
}

/** The process that is examined. */
interface Surroundings {
  config: DoctorSettings;
  sealer: Pick<Sealer, "kid"> | undefined;
  folder: { path: string };
  clock: Clock;
  machineClock: { fault(): string | undefined };
}

interface Checked {
  storage: Storage;
  catalog: AgentCatalog;
  breakers: Breakers;
  memory: { look(): Promise<Finding> };
  vectors: Pick<RetrievalParts, "storeOf" | "embedderOf">;
  pipelines: Pick<PipelineLibrary, "list">;
  models: ResolveOptions;
  /** Returns messages for collections and memories whose vectors are in another place. */
  vectorsElsewhere: () => Promise<readonly string[]>;
  ownTools: Pick<OwnToolFiles, "list" | "faults">;
  /** The file connections.yaml. */
  connections: { names(): string[]; fault(): string | undefined; left(): readonly string[] };
  /** Checks of what the settings and the channels know themselves. */
  configuration: DoctorCheckup["look"];
  channels: DoctorCheckup["look"];
  /** Undefined if the mesh is off. */
  mesh: { check(): Promise<Finding> } | undefined;
  /** Undefined without a shared database. */
  shared: { check(): Promise<Finding> } | undefined;
}

const meshOff: Finding = { status: "healthy", message: "The mesh is off: this daemon runs on its own." };

/** The check is degraded below this much free disk, and failing below a tenth of it. */
const freeBytesLow = 1024 ** 3;
/** This version was released after that year began, so an earlier clock is wrong and would reject certificates and tokens. */
const earliestYear = 2026;
const probeMs = 3000;

/**
 * The doctor's checks: storage, configuration, secrets, providers, agents, custom tools, connections, MCP servers, memory, Redis, vectors,
 * retrieval, channels, mesh, open files, disk and clock.
 */
export function daemonCheckups(foundation: Surroundings, checked: Checked): DoctorCheckup[] {
  const { clock } = foundation;
  const { shared } = checked;
  return [
    { name: "storage", look: () => checkStorage(foundation, checked) },
    { name: "configuration", look: checked.configuration },
    { name: "secrets", look: async () => checkSecrets(foundation) },
    { name: "providers", look: () => checkProviders({ ...checked, clock, probeMs }) },
    { name: "agents", look: async () => checkAgents(checked) },
    { name: "tools", look: async () => checkTools(checked, foundation.config) },
    { name: "connections", look: async () => checkConnections(checked) },
    { name: "mcp", look: async () => checkMcp(checked) },
    { name: "memory", look: () => checked.memory.look() },
    { name: "redis", look: () => checkRedis(foundation.config.redisUrl, foundation.clock) },
    { name: "vectors", look: () => examineVectors(foundation, checked) },
    {
      name: "retrieval",
      look: () =>
        checkRetrieval({
          ...checked,
          retrieval: checked.vectors,
          pipelines: checked.pipelines.list(),
          clock,
          probeMs,
        }),
    },
    { name: "channels", look: checked.channels },
    { name: "mesh", look: async () => (await checked.mesh?.check()) ?? meshOff },
    ...(shared === undefined ? [] : [{ name: "shared files", look: () => shared.check() }]),
    { name: "open files", look: () => checkDescriptors() },
    { name: "disk", look: () => checkDisk(foundation) },
    { name: "clock", look: async () => checkClock(foundation) },
  ];
}

async function checkStorage({ config }: Surroundings, { storage }: Checked): Promise<Finding> {
  await storage.check();
  const place = storage.dialect === "postgres" ? "PostgreSQL" : config.dataFolder;
  const { days, bytesMax } = config.observability.retention;
  const kept = `${days} days and ${Math.round(bytesMax / 1024 ** 2)} MiB`;
  return { status: "healthy", message: `Storage at ${place} is writable. Traces are kept for ${kept}.` };
}

function checkSecrets({ sealer }: Surroundings): Finding {
  if (sealer !== undefined)
    return { status: "healthy", message: `Secrets are sealed with the key ${sealer.kid}.` };
  return {
    status: "degraded",
    message: "There are no sealing keys, so secrets can't be stored.",
    mend: "argosy secrets init",
  };
}

function checkAgents({ catalog }: Checked): Finding {
  const faults = catalog.list().filter((entry) => entry.fault !== undefined);
  if (catalog.list().length === 0) {
    return { status: "degraded", message: "No agents are loaded.", mend: "argosy init" };
  }
  const sent = catalog.list().flatMap(({ name, agent, text = "" }) => {
    return isTrusted(agent?.sender ?? senderOf(text)) ? [] : [name];
  });
  const ofOthers = sent.length === 0 ? "" : ` Sent over the API with restricted rights: ${sent.join(", ")}.`;
  if (faults.length === 0) {
    const loaded = `${catalog.loadedCount} of ${catalog.list().length} agents are loaded.`;
    return { status: "healthy", message: loaded + ofOthers };
  }
  const elsewhere = catalog.faultsElsewhere();
  const first = elsewhere.length === 0 ? "" : `First correct ${asSentence(elsewhere.join("; "))} `;
  // The file of an agent is not at fault if another one that it depends on can't be used.
  const mend = (entry: CatalogEntry) => (elsewhere.length === 0 ? mendOf(entry) : "argosy validate");
  return {
    status: catalog.loadedCount === 0 ? "failing" : "degraded",
    message: first + faults.map(({ name, fault }) => `${name}: ${fault?.message}`).join(" ") + ofOthers,
    mend: [...new Set(faults.map(mend))].join("; "),
    findings: faults.map((entry) => ({
      subject: entry.name,
      message: entry.fault?.message ?? "",
      mend: mend(entry),
    })),
  };
}

/** A version that its gate refuses is valid: its evals say what is wrong with it. */
function mendOf({ name, file, fault, candidate }: CatalogEntry): string {
  const mend = fixOfTrust(fault?.message ?? "");
  if (mend !== undefined) return mend;
  if (candidate !== undefined) return `argosy eval --agent ${name} --candidate`;
  return `argosy validate ${file ?? ""}`.trimEnd();
}

/** Says the same before and after the files are loaded, unless one has a fault. */
function checkTools({ ownTools }: Checked, { programs, workspace }: Surroundings["config"]): Finding {
  const files = ownToolPaths(workspace).map((path) => relative(workspace, path));
  if (files.length === 0) return { status: "healthy", message: "There are no custom tools." };
  const refusal = programs.refusal();
  if (refusal !== undefined) {
    return {
      status: "degraded",
      message: `${counted(files.length, "file")} in tools/ cannot be loaded: ${refusal}.`,
      mend: `argosy trust ${workspace}`,
    };
  }
  const faults = ownTools.faults();
  if (faults.length > 0) {
    return {
      status: ownTools.list().length === 0 ? "failing" : "degraded",
      message: faults.map(textOf).join(" "),
      mend: `correct ${[...new Set(faults.map(({ file }) => file))].join(", ")}; changed files are reloaded`,
    };
  }
  return { status: "healthy", message: `Custom tools are read from ${files.join(", ")}.` };
}

function checkConnections({ connections }: Checked): Finding {
  const fault = connections.fault();
  if (fault !== undefined) {
    const message = `${asSentence(fault)} The previous version stays in use.`;
    return { status: "degraded", message, mend: "argosy validate connections.yaml" };
  }
  const left = connections.left();
  if (left.length > 0)
    return { status: "degraded", message: left.join(" "), mend: fixOfTrust(left.join(" ")) ?? "" };
  const names = connections.names();
  const message =
    names.length === 0 ? "connections.yaml has no connections." : `Connections: ${names.join(", ")}.`;
  return { status: "healthy", message };
}

function examineVectors(
  { config, folder, clock }: Surroundings,
  { vectors, storage, vectorsElsewhere }: Checked,
): Promise<Finding> {
  return checkVectors({
    settings: config.runtime.spec.vectors,
    dataFolder: folder.path,
    cacheFolder: config.cacheFolder,
    sharesDatabase: storage.dialect === "postgres",
    storeOf: vectors.storeOf,
    elsewhere: vectorsElsewhere,
    clock,
    probeMs,
  });
}

async function checkDisk({ folder }: Surroundings): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder.path);
  const freeBytes = bavail * bsize;
  const free = `${folder.path} has ${(freeBytes / 1024 ** 3).toFixed(1)} GiB of free space.`;
  if (freeBytes >= freeBytesLow) return { status: "healthy", message: free };
  return {
    status: freeBytes < freeBytesLow / 10 ? "failing" : "degraded",
    message: free,
    mend: "free some space, or move the data folder with ARGOSY_DATA",
  };
}

function checkClock({ clock, machineClock }: Surroundings): Finding {
  const now = clock.now();
  const message = machineClock.fault();
  if (message !== undefined)
    return {
      status: "degraded",
      message: `${message} Argosy goes by the database's.`,
      mend: "set the clocks of all machines by a time service, such as chrony",
    };
  if (now.getUTCFullYear() >= earliestYear)
    return { status: "healthy", message: `The time is ${now.toISOString()}.` };
  return {
    status: "failing",
    message: `The clock says ${now.toISOString()}.`,
    mend: "set the machine's clock",
  };
}
