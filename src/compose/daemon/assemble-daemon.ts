import { hostname } from "node:os";
import { AppError } from "../../kit/app-error.ts";
import { warnOfLocalVectors } from "../../services/daemon/doctor/warn-of-local-vectors.ts";
import type { SharedFiles } from "../../services/daemon/shared-files/shared-files.ts";
import type { AssembledService, Foundation } from "../foundation.ts";
import type { AccessRule } from "../service.ts";
import { openOperations } from "./operations.ts";
import { openWorkspaceParts } from "./own-tools.ts";
import type { Stage } from "./stage.ts";
import { openAgentBuilding } from "./stages/agent-building.ts";
import { loadAgents } from "./stages/agents.ts";
import { openKnowledge } from "./stages/knowledge.ts";
import { beginDiscovery, openModels } from "./stages/models.ts";
import { openDaemonNodes } from "./stages/nodes.ts";
import { openRuns } from "./stages/runs.ts";
import { openSharedFiles } from "./stages/shared-files.ts";
import { openState } from "./stages/state.ts";
import { openTelemetry } from "./stages/telemetry.ts";
import { openTenants } from "./stages/tenants.ts";
import { openSurface } from "./surface.ts";

/** Assembles the daemon on its storage and loads its agents. Each stage uses only what the stages before it return. */
export async function assembleDaemon(
  foundation: Foundation,
  accessTo: AccessRule,
): Promise<AssembledService> {
  const discovering = beginDiscovery(foundation);
  const state = await openState(foundation);
  const telemetry = openTelemetry(foundation, state);
  const workspace = await openWorkspaceParts(foundation);
  const models = await openModels(foundation, state, { discovering, skills: workspace.skills });
  let shared: SharedFiles | undefined;
  const files = () => shared?.state;
  const nodes = await openDaemonNodes(foundation, { state, models, telemetry, files });
  const knowledge = await openKnowledge(foundation, { state, models, telemetry });
  const inference = nodes?.runs.inference;
  const building = await openAgentBuilding(foundation, {
    ...{ state, models, knowledge, telemetry, inference, workspace },
  });
  const agents = await loadAgents(foundation, { state, telemetry, models, knowledge, building });
  const node = nodes?.name ?? hostname();
  shared = await openSharedFiles(foundation, { state, agents, node });
  const running = await openRuns(foundation, { state, models, building, telemetry });
  const tenants = openTenants(foundation, { state, models, telemetry, knowledge, building, running });
  const operations = openOperations(foundation, { state, telemetry, building });
  const surface = await openSurface(foundation, accessTo, {
    ...{ state, telemetry, models, nodes, knowledge, building, agents, shared, running, tenants, operations },
  });
  warnOfLocalVectors(foundation.config, state.storage.dialect, foundation.log);

  const stages: Stage[] = [
    state,
    telemetry,
    models,
    knowledge,
    building,
    agents,
    running,
    tenants,
    operations,
    surface,
  ];
  const retire = () => Promise.all(stages.toReversed().map((stage) => stage.retire?.()));
  return {
    app: surface.app,
    control: surface.control,
    internal: surface.internal,
    door: nodes?.door && { ...nodes.door, app: surface.app },
    runs: () => state.gate.inFlight,
    unready: () => nodes?.unready(),
    storage: state.storage,
    checkups: surface.checkups,
    retained: operations.retained,
    workers: [
      ...[state, telemetry, running, agents].flatMap((stage) => stage.workers ?? []),
      ...(shared === undefined ? [] : [shared.worker()]),
      ...[knowledge, building, operations, nodes, surface].flatMap((stage) => stage?.workers ?? []),
    ],
    intake: {
      begin: surface.intake.begin,
      async retire() {
        // The others send no more runs from now on.
        await nodes?.leave();
        await retire();
        await agents.canaries.counted();
      },
    },
    finish: knowledge.vectors.finish,
    cancel: () => state.stopping.abort(runCancelled()),
    async close() {
      await retire();
      for (const stage of stages.toReversed()) await stage.close?.();
    },
  };
}

const runCancelled = () =>
  new AppError("unavailable", "run_cancelled", "Argosy is stopping and cancelled the run; try again.");
