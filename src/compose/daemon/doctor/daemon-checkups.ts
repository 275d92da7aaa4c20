import { statfs } from "node:fs/promises";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import type { Breakers } from "../../../engine/models/breakers.ts";
import type { ResolveOptions } from "../../../engine/models/model-sources.ts";
import { isTrusted } from "../../../manifest/sender.ts";
import type { AgentCatalog } from "../../../services/daemon/agents/agent-catalog.ts";
import type { DaemonChannels } from "../../../services/daemon/channels/daemon-channels.ts";
import { senderOf } from "../../../services/daemon/manifests/stranger-mark.ts";
import type { PipelineLibrary } from "../../../services/daemon/rag/pipeline-library.ts";
import type { DoctorCheckup } from "../../../services/daemon/system/doctor.ts";
import { type OwnToolFiles, textOf } from "../../../services/daemon/tools/own-tool-files.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Foundation } from "../../foundation.ts";
import { lookAtConfiguration } from "../../settings/changed-config.ts";
import type { Connections } from "../../settings/connections.ts";
import { lookAtChannels } from "../channels.ts";
import type { VectorParts } from "../vectors.ts";
import { lookAtDescriptors } from "./look-at-descriptors.ts";
import { lookAtMcp } from "./look-at-mcp.ts";
import { lookAtProviders } from "./look-at-providers.ts";
import { lookAtRedis } from "./look-at-redis.ts";
import { lookAtRetrieval } from "./look-at-retrieval.ts";
import { lookAtVectors } from "./look-at-vectors.ts";

type Finding = Omit<DoctorCheck, "name">;

interface Patient {
  storage: Storage;
  catalog: AgentCatalog;
  breakers: Breakers;
  channels: DaemonChannels;
  memory: { look(): Promise<Finding> };
  vectors: Pick<VectorParts, "storeOf" | "embedderOf">;
  pipelines: Pick<PipelineLibrary, "list">;
  models: ResolveOptions;
  /** Returns messages for collections and memories whose vectors are in another place. */
  vectorsElsewhere: () => Promise<readonly string[]>;
  ownTools: Pick<OwnToolFiles, "list" | "faults">;
  connections: Pick<Connections, "names" | "fault">;
}

/** The check is degraded below this much free disk, and failing below a tenth of it. */
const freeBytesLow = 1024 ** 3;
/** This version was released after that year began, so an earlier clock is wrong and would reject certificates and tokens. */
const earliestYear = 2026;
const probeMs = 3000;

/**
 * The doctor's checks: storage, configuration, secrets, providers, agents, custom tools, connections, MCP servers, memory, Redis, vectors,
 * retrieval, channels, mesh, open files, disk and clock.
 */
export function daemonCheckups(foundation: Foundation, patient: Patient): DoctorCheckup[] {
  const { clock } = foundation;
  return [
    { name: "storage", look: () => lookAtStorage(foundation, patient) },
    { name: "configuration", look: () => lookAtConfiguration(foundation.config) },
    { name: "secrets", look: async () => lookAtSecrets(foundation) },
    { name: "providers", look: () => lookAtProviders({ ...patient, clock, probeMs }) },
    { name: "agents", look: async () => lookAtAgents(patient) },
    { name: "tools", look: async () => lookAtTools(patient) },
    { name: "connections", look: async () => lookAtConnections(patient) },
    { name: "mcp", look: async () => lookAtMcp(patient) },
    { name: "memory", look: () => patient.memory.look() },
    { name: "redis", look: () => lookAtRedis(foundation.config.redisUrl, foundation.clock) },
    { name: "vectors", look: () => examineVectors(foundation, patient) },
    {
      name: "retrieval",
      look: () =>
        lookAtRetrieval({
          ...patient,
          retrieval: patient.vectors,
          pipelines: patient.pipelines.list(),
          clock,
          probeMs,
        }),
    },
    { name: "channels", look: () => lookAtChannels(patient.channels, patient) },
    {
      name: "mesh",
      look: async () => ({ status: "healthy", message: "The mesh is off: this daemon runs on its own." }),
    },
    { name: "open files", look: () => lookAtDescriptors() },
    { name: "disk", look: () => lookAtDisk(foundation) },
    { name: "clock", look: async () => lookAtClock(foundation) },
  ];
}

async function lookAtStorage({ config }: Foundation, { storage }: Patient): Promise<Finding> {
  await storage.check();
  const place = storage.dialect === "postgres" ? "PostgreSQL" : config.dataFolder;
  const { days, bytesMax } = config.observability.retention;
  const kept = `${days} days and ${Math.round(bytesMax / 1024 ** 2)} MiB`;
  return { status: "healthy", message: `Storage at ${place} is writable. Traces are kept for ${kept}.` };
}

function lookAtSecrets({ sealer }: Foundation): Finding {
  if (sealer !== undefined)
    return { status: "healthy", message: `Secrets are sealed with the key ${sealer.kid}.` };
  return {
    status: "degraded",
    message: "There are no sealing keys, so secrets can't be stored.",
    mend: "argosy secrets init",
  };
}

function lookAtAgents({ catalog }: Patient): Finding {
  const faults = catalog.list().filter((entry) => entry.fault !== undefined);
  if (catalog.list().length === 0) {
    return { status: "degraded", message: "No agents are loaded.", mend: "argosy init" };
  }
  const sent = catalog.list().flatMap(({ name, agent, text = "" }) => {
    return isTrusted(agent?.sender ?? senderOf(text)) ? [] : [name];
  });
  const ofStrangers =
    sent.length === 0 ? "" : ` Sent over the API with restricted rights: ${sent.join(", ")}.`;
  if (faults.length === 0) {
    const loaded = `${catalog.loadedCount} of ${catalog.list().length} agents are loaded.`;
    return { status: "healthy", message: loaded + ofStrangers };
  }
  return {
    status: catalog.loadedCount === 0 ? "failing" : "degraded",
    message: faults.map(({ name, fault }) => `${name}: ${fault?.message}`).join(" ") + ofStrangers,
    mend: `argosy validate ${faults.flatMap(({ file }) => file ?? []).join(" ")}`.trimEnd(),
    findings: faults.map(({ name, fault, file }) => ({
      subject: name,
      message: fault?.message ?? "",
      ...(file === undefined ? {} : { mend: `argosy validate ${file}` }),
    })),
  };
}

function lookAtTools({ ownTools }: Patient): Finding {
  const faults = ownTools.faults();
  const names = ownTools.list().map(({ name }) => name);
  if (faults.length > 0) {
    return {
      status: names.length === 0 ? "failing" : "degraded",
      message: faults.map(textOf).join(" "),
      mend: `correct ${[...new Set(faults.map(({ file }) => file))].join(", ")}; changed files are reloaded`,
    };
  }
  const message = names.length === 0 ? "There are no custom tools." : `Custom tools: ${names.join(", ")}.`;
  return { status: "healthy", message };
}

function lookAtConnections({ connections }: Patient): Finding {
  const fault = connections.fault();
  if (fault !== undefined) {
    const message = `${fault} The previous version stays in use.`;
    return { status: "degraded", message, mend: "argosy validate connections.yaml" };
  }
  const names = connections.names();
  const message =
    names.length === 0 ? "connections.yaml has no connections." : `Connections: ${names.join(", ")}.`;
  return { status: "healthy", message };
}

function examineVectors(
  { config, folder, clock }: Foundation,
  { vectors, storage, vectorsElsewhere }: Patient,
): Promise<Finding> {
  return lookAtVectors({
    settings: config.runtime.spec.vectors,
    dataFolder: folder.path,
    sharesDatabase: storage.dialect === "postgres",
    storeOf: vectors.storeOf,
    elsewhere: vectorsElsewhere,
    clock,
    probeMs,
  });
}

async function lookAtDisk({ folder }: Foundation): Promise<Finding> {
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

function lookAtClock({ clock }: Foundation): Finding {
  const now = clock.now();
  if (now.getUTCFullYear() >= earliestYear)
    return { status: "healthy", message: `The time is ${now.toISOString()}.` };
  return {
    status: "failing",
    message: `The clock says ${now.toISOString()}.`,
    mend: "set the machine's clock",
  };
}
