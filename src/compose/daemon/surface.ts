import { isUnder } from "../../http/front-door/front-door.ts";
import type { ServiceApp } from "../../http/service-app.ts";
import { createDaemonApp, createEvalBackend, type DaemonDoor } from "../../services/daemon/app.ts";
import { webhookPath } from "../../services/daemon/channels/routes.ts";
import { daemonCheckups } from "../../services/daemon/doctor/daemon-checkups.ts";
import { withDrills } from "../../services/daemon/drill/drill-route.ts";
import { callerRunKeeper } from "../../services/daemon/durable-runs/continue-caller-runs.ts";
import { withFreshFiles } from "../../services/daemon/manifests/fresh-files.ts";
import { McpTasks } from "../../services/daemon/mcp/tasks/mcp-tasks.ts";
import { continuedRun } from "../../services/daemon/mesh/hop/receive-run.ts";
import { runnable } from "../../services/daemon/mesh/node-runs.ts";
import { meshPaths } from "../../services/daemon/mesh/routes.ts";
import { continueResponse } from "../../services/daemon/responses/create-response.ts";
import { socketPath } from "../../services/daemon/runs/run-socket.ts";
import type { SentRun } from "../../services/daemon/runs/sent-run.ts";
import { withSharedFiles } from "../../services/daemon/shared-files/with-shared-files.ts";
import type { DoctorCheckup } from "../../services/daemon/system/doctor.ts";
import { internalPaths } from "../../services/daemon/tenant-api/open-tenant-api.ts";
import { hookPaths } from "../../services/daemon/triggers/hook-routes.ts";
import { runFire } from "../../services/daemon/triggers/run-fire.ts";
import { Triggers } from "../../services/daemon/triggers/triggers.ts";
import type { Foundation, Intake } from "../foundation.ts";
import type { LocalApp } from "../peers.ts";
import type { AccessRule } from "../service.ts";
import { readinessOf } from "../service-storage.ts";
import { checkConfiguration } from "../settings/changed-config.ts";
import { keepsAgents } from "../settings/role-settings.ts";
import { assembleChannels, checkChannels } from "./channels.ts";
import { type DaemonStages, runningDaemon } from "./daemon-deps.ts";
import { assembleEvals } from "./evals.ts";
import type { Stage } from "./stage.ts";

/** The apps of the daemon, and work that comes by itself. */
export interface DaemonSurface extends Stage {
  app: ServiceApp;
  /** For the control socket and for commands on this machine. */
  control: ServiceApp;
  /** For the other services of this process. */
  internal: LocalApp;
  intake: Intake;
  checkups: readonly DoctorCheckup[];
}

/** Opens the daemon to its callers: routes, evals, channels and the doctor. */
export async function openSurface(
  foundation: Foundation,
  accessTo: AccessRule,
  stages: DaemonStages,
): Promise<DaemonSurface> {
  const { state, building, agents, shared, running, tenants } = stages;
  const daemon = runningDaemon(foundation, stages);
  const { workers, intake, ...channels } = assembleChannels(foundation, {
    storage: state.storage,
    awaited: running.approvals.awaited,
    arrived: state.fireSources.messageArrived,
    daemon,
  });
  const isDurable = foundation.config.platform.durable;
  const triggers = new Triggers({
    ...daemon,
    storage: state.storage,
    owner: foundation.newId(),
    isDurable,
    runsMax: foundation.config.runtime.spec.limits?.trigger_runs ?? 8,
    run: (trigger, fire) => runFire(daemon, trigger, fire, isDurable),
  });
  state.pools.watch("triggers", () => ({ inFlight: triggers.running, waiting: 0 }));
  const mcpTasks = new McpTasks({
    ...daemon,
    storage: state.storage,
    sealer: foundation.sealer,
    owner: foundation.newId(),
  });
  await mcpTasks.recover();
  const door = await openDoor(foundation, accessTo, stages);
  const evals = assembleEvals(foundation, {
    app: createEvalBackend({ ...daemon, channels }, door),
    runs: daemon,
    store: state.evalRuns,
  });
  const own = createDaemonApp({ ...daemon, channels, evals, triggers, mcpTasks }, door);
  const app = shared === undefined ? own : withSharedFiles(own, shared);
  return {
    app,
    control: withDrills(withFreshFiles(app, agents.look), foundation, {
      app,
      breakers: building.parts.breakers,
      circuit: building.parts.circuit,
      dialect: state.storage.dialect,
    }),
    internal: {
      handle(request, origin) {
        const isInternal = isUnder(new URL(request.url).pathname, internalPaths);
        return isInternal ? tenants.app.handle(request, origin) : app.handle(request, origin);
      },
      run: tenants.app.run,
    },
    intake,
    checkups: checkupsOf(foundation, stages, () => checkChannels(channels, daemon)),
    workers: [
      ...workers,
      mcpTasks.worker(),
      running.responses.worker(continueResponse(daemon)),
      callerRunKeeper(running.callers, {
        agents: () => runnable(state.catalog),
        perform: (request, kept) => continuedRun(daemon, request as SentRun, kept.keep),
      }),
      ...(keepsAgents(foundation.config.role) ? triggers.workers() : []),
    ],
    retire: () => Promise.all([intake.retire(), triggers.retire(), mcpTasks.retire(), evals.runs.close()]),
  };
}

async function openDoor(
  foundation: Foundation,
  accessTo: AccessRule,
  { state, tenants }: DaemonStages,
): Promise<DaemonDoor> {
  const { runtimeToken, tls, mesh } = foundation.config;
  const internal = await tenants.routesFor(runtimeToken);
  return {
    access: accessTo([
      socketPath,
      webhookPath,
      hookPaths,
      meshPaths,
      ...(internal.length > 0 ? [internalPaths] : []),
    ]),
    internal,
    secure: tls !== undefined || mesh?.port !== undefined,
    readReadiness: () => readinessOf("daemon", state.storage, foundation),
  };
}

const checkupsOf = (
  foundation: Foundation,
  { state, models, nodes, knowledge, building, shared }: DaemonStages,
  channels: DoctorCheckup["look"],
): DoctorCheckup[] =>
  daemonCheckups(foundation, {
    storage: state.storage,
    catalog: state.catalog,
    breakers: building.parts.breakers,
    models: building.parts.models,
    pipelines: knowledge.rag.rag.pipelines,
    memory: knowledge.memory,
    vectors: knowledge.vectors,
    vectorsElsewhere: knowledge.vectorsElsewhere,
    ownTools: building.ownTools,
    connections: building.connections,
    mesh: nodes,
    shared,
    configuration: () => checkConfiguration(foundation.config, models.files),
    channels,
  });
