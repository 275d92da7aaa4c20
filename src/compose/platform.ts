import { randomBytes } from "node:crypto";
import { version } from "../../package.json" with { type: "json" };
import { examine } from "../services/daemon/system/doctor.ts";
import { createPlatformApp, type PlatformDoor } from "../services/platform/app.ts";
import { createAccessTokens } from "../services/platform/auth/access-tokens.ts";
import { createPasswords } from "../services/platform/auth/passwords.ts";
import { SlowLanes } from "../services/platform/auth/slow-lanes.ts";
import { createControlApp } from "../services/platform/control/control-app.ts";
import type { PlatformDeps } from "../services/platform/deps.ts";
import { createPlatformMetrics } from "../services/platform/metrics/platform-metrics.ts";
import { migrations } from "../services/platform/migrations.gen.ts";
import { seedDefaultPlan } from "../services/platform/plans/plan-commands.ts";
import { endOwner, keepOwnerAlive } from "../services/platform/runs/owner-life.ts";
import { sweepInterrupted } from "../services/platform/runs/sweep-interrupted.ts";
import { UnsettledRuns } from "../services/platform/runs/unsettled-runs.ts";
import { tables } from "../services/platform/tables.ts";
import { KeyUses } from "../services/platform/tenants/key-uses.ts";
import { platformWorkers } from "../services/platform/workers.ts";
import { openStorage } from "../storage/open-storage.ts";
import { checkSealingKeys } from "../storage/sealing/key-check.ts";
import { accessTo, registrationOf } from "./exposure.ts";
import type { Foundation } from "./foundation.ts";
import { openJwtKeys } from "./local-secrets.ts";
import { createMessageSender } from "./message-sender.ts";
import { pendingWork } from "./pending-work.ts";
import { platformCheckups } from "./platform-checkups.ts";
import { runtimeOf } from "./platform-runtime.ts";
import type { AssembledService } from "./services.ts";
import { storageCheck } from "./storage-check.ts";

/** Assembles the agent platform on its own storage and its runtime. */
export async function assemblePlatform(foundation: Foundation): Promise<AssembledService> {
  const { config, log, clock, newId, random, folder, sealer } = foundation;
  const jwtKeys = openJwtKeys(config, folder);
  const runtime = runtimeOf(foundation);
  const storage = await openStorage({
    service: "platform",
    tables,
    migrations,
    folder: folder.path,
    log,
    clock,
    random,
    servers: foundation.servers,
    ...(config.databaseUrl === undefined ? {} : { url: config.databaseUrl }),
  });
  const owner = newId();
  try {
    if (sealer !== undefined) await checkSealingKeys(storage, sealer, clock);
    await seedDefaultPlan(storage, clock.now());
    await keepOwnerAlive(storage, owner);
    // Before anything listens: runs left by a former process of this data folder must not take places. In a shared database
    // the worker finds out first who is alive.
    const isAlone = storage.dialect === "sqlite";
    const swept = isAlone ? await sweepInterrupted(storage, clock.now(), owner) : 0;
    if (swept > 0) log.warn("runs.interrupted", { runs: swept });
  } catch (thrown) {
    await storage.close();
    throw thrown;
  }
  const { runTimeoutSeconds, allowUnpriced, operatorToken, gateway } = config.platform;
  const stopping = new AbortController();
  const pending = pendingWork();
  const unsettled = new UnsettledRuns(clock, log);
  const deps: PlatformDeps = {
    version,
    clock,
    newId,
    random,
    log,
    storage,
    // Without keys, people can't sign in, so this key never signs anything.
    tokens: createAccessTokens(jwtKeys ?? [{ kid: "none", secret: randomBytes(32) }], clock),
    passwords: createPasswords(),
    signInLanes: new SlowLanes(clock),
    sealer,
    operatorToken,
    keyUses: new KeyUses(clock),
    runtime,
    messages: gateway && createMessageSender(gateway, { fetch: (request) => fetch(request), clock }),
    metrics: createPlatformMetrics(foundation.workerStates),
    settings: {
      registration: registrationOf(config),
      runTimeoutMs: runTimeoutSeconds * 1000,
      allowUnpriced,
    },
    unsettled,
    owner,
    stopping: stopping.signal,
    outlives: pending.add,
  };
  const door: PlatformDoor = {
    access: accessTo(config, "platform", []),
    secure: config.tls !== undefined,
    withSignIn: jwtKeys !== undefined,
    readReadiness: async () => [
      await storageCheck(storage),
      ...foundation
        .workerStates()
        .map(({ name, status }) => ({ name: `worker ${name}`, ok: status === "running" })),
    ],
  };
  const app = pending.over(createPlatformApp(deps, door));
  const checkups = platformCheckups({ config, deps, signingKey: jwtKeys?.[0].kid });
  return {
    app,
    control: createControlApp(deps, app, door, (signal) => examine(checkups, signal)),
    checkups,
    workers: platformWorkers(deps),
    intake: { begin() {}, retire: pending.ended },
    cancel: () => stopping.abort(),
    async close() {
      // Waits until cancelled runs are stored as such.
      await pending.ended();
      if (!(await unsettled.flush())) log.error("runs.unsettled", { runs: unsettled.count });
      await endOwner(storage, owner).catch((err) => log.warn("platform.owner_kept", { err }));
      await storage.close();
    },
  };
}
