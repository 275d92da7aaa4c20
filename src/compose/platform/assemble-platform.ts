import { randomBytes } from "node:crypto";
import { version } from "../../../package.json";
import { trustedSenderClient } from "../../contracts/gateway/client.ts";
import { controlClient } from "../../contracts/platform/clients/control-client.ts";
import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import { runtimeClient } from "../../contracts/runtime/http-client.ts";
import type { ServiceAddress } from "../../contracts/service-call.ts";
import { KeyUses } from "../../control-plane/keys/key-uses.ts";
import { resolveBySystem } from "../../engine/tools/network/address/address-resolver.ts";
import { createGuardedNetwork } from "../../engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../engine/tools/network/direct-connection.ts";
import { EvalWork } from "../../evals/hosted/eval-work.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import { createPdfPrinter } from "../../kit/process/print-pdf.ts";
import { examine } from "../../services/daemon/system/doctor.ts";
import { createPlatformApp, type PlatformDoor } from "../../services/platform/app.ts";
import { createAccessTokens } from "../../services/platform/auth/access-tokens.ts";
import type { RegistrationRule } from "../../services/platform/auth/deps.ts";
import { createPasswords } from "../../services/platform/auth/passwords.ts";
import { SlowLanes } from "../../services/platform/auth/slow-lanes.ts";
import { createControlApp } from "../../services/platform/control/control-app.ts";
import type { PlatformDeps } from "../../services/platform/deps.ts";
import { createPlatformMetrics } from "../../services/platform/metrics/platform-metrics.ts";
import { migrations } from "../../services/platform/migrations.gen.ts";
import { seedDefaultPlan } from "../../services/platform/plans/plan-commands.ts";
import type { GatewayStorageLimits } from "../../services/platform/room/note-elsewhere.ts";
import { TenantDurableRuns } from "../../services/platform/runs/durable/durable-runs.ts";
import { UnsettledRuns } from "../../services/platform/runs/settlement/unsettled-runs.ts";
import { sweepInterrupted } from "../../services/platform/runs/sweep/run-sweep.ts";
import { tables } from "../../services/platform/tables.ts";
import { platformWorkers } from "../../services/platform/workers.ts";
import { OwnerLife } from "../../storage/owner-life.ts";
import { createCallbackPost } from "../callback-post.ts";
import { isExposed } from "../exposure.ts";
import type { AssembledService, Foundation } from "../foundation.ts";
import { latePeer, localAddress } from "../peers.ts";
import { pendingWork } from "../pending-work.ts";
import type { AccessRule } from "../service.ts";
import { openOwnStorage, readinessOf } from "../service-storage.ts";
import type { Config } from "../settings/config.ts";
import { openJwtKeys } from "../settings/secrets/local-secrets.ts";
import { createMessageSender } from "./message-sender.ts";
import { modelCosts } from "./model-costs.ts";
import { platformCheckups } from "./platform-checkups.ts";

/** Assembles the agent platform on its own storage and its runtime. */
export async function assemblePlatform(
  foundation: Foundation,
  accessTo: AccessRule,
): Promise<AssembledService> {
  const { config, log, clock, newId, random, folder, sealer } = foundation;
  const jwtKeys = openJwtKeys(config, folder);
  const runtime = runtimeOf(foundation);
  const storage = await openOwnStorage(foundation, { service: "platform", tables, migrations });
  const owner = newId();
  const life = new OwnerLife(storage, owner, clock);
  try {
    await seedDefaultPlan(storage, clock.now());
    await life.renew();
    // Before anything listens: runs left by a former process of this data folder must not take places. In a shared database
    // the worker finds out first who is alive.
    const isAlone = storage.dialect === "sqlite";
    const swept = isAlone ? await sweepInterrupted(storage, clock.now(), life, config.platform) : 0;
    if (swept > 0) log.warn("runs.interrupted", { runs: swept });
  } catch (thrown) {
    await storage.close();
    throw thrown;
  }
  const { runTimeoutSeconds, durable, allowUnpriced, operatorToken } = config.platform;
  const registration = registrationOf(config);
  const stopping = new AbortController();
  const pending = pendingWork();
  const unsettled = new UnsettledRuns(clock, log);
  const gateway = gatewayOf(foundation);
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
    messages: gateway && createMessageSender(gateway.address, clock),
    gatewayStorage: gateway && gatewayStorageOf(gateway, clock),
    printPdf: createPdfPrinter(),
    postNotice: createCallbackPost(
      createGuardedNetwork({
        clock,
        connect: createDirectConnections(clock),
        resolve: resolveBySystem,
        opened: config.network,
      }),
    ),
    noticeMail: config.platform.mail,
    publicUrl: config.platform.publicUrl,
    costOf: modelCosts(config),
    metrics: createPlatformMetrics(foundation.workerStates),
    settings: {
      registration,
      runTimeoutMs: runTimeoutSeconds * 1000,
      durable,
      allowUnpriced,
    },
    unsettled,
    durable: new TenantDurableRuns(runtime),
    evalWork: new EvalWork(),
    owner,
    life,
    stopping: stopping.signal,
    outlives: pending.add,
  };
  const door: PlatformDoor = {
    access: accessTo([]),
    secure: config.tls !== undefined,
    withSignIn: jwtKeys !== undefined,
    readReadiness: () => readinessOf("platform", storage, foundation),
  };
  const app = pending.over(createPlatformApp(deps, door));
  const checkups = platformCheckups({ config, deps, signingKey: jwtKeys?.[0].kid });
  const control = createControlApp(deps, app, door, {
    examine: (signal) => examine(foundation.checkups(), signal),
    retryParked: foundation.retryParked,
  });
  const owners = controlClient(localAddress(control, "control"));
  return {
    app,
    control,
    storage,
    checkups,
    people: {
      registration: registration.here !== "closed",
      openOwnerSession: jwtKeys && (() => owners.openOwnerSession()),
    },
    workers: platformWorkers(deps),
    intake: { begin() {}, retire: pending.ended },
    cancel: () => stopping.abort(),
    async close() {
      // Waits until cancelled runs are stored as such.
      await pending.ended();
      if (!(await unsettled.flush())) log.error("runs.unsettled", { runs: unsettled.count });
      await life.end().catch((err) => log.warn("platform.owner_kept", { err }));
      await storage.close();
    },
  };
}

/**
 * Returns the rules for registration. By default, all people on this machine may register, and from other machines only the invited.
 * Requests from other machines can also arrive at a service that is not exposed, through a proxy.
 */
function registrationOf(config: Pick<Config, "platform" | "services" | "access">): RegistrationRule {
  const { registration } = config.platform;
  const here = registration ?? (isExposed(config, "platform") ? "invite" : "open");
  return { here, beyond: registration ?? "invite" };
}

type Surroundings = Pick<Foundation, "config" | "peers">;

/** Returns the runtime for the platform's agents: a configured daemon on another machine, or else the one of this process. */
function runtimeOf({ config: { platform, runtimeToken }, peers }: Surroundings): RuntimeClient {
  const { runtimeUrl: url } = platform;
  const address = peers.find(
    "daemon",
    url === undefined ? undefined : { url, headers: { authorization: `Bearer ${runtimeToken}` } },
  );
  if (address !== undefined) return runtimeClient(address);
  throw new AppError("invalid", "runtime_needed", "The platform has no runtime for its agents.", {
    details: {
      hint: "Start the daemon beside it, or name one elsewhere by spec.platform.runtime_url and PLATFORM_RUNTIME_TOKEN.",
    },
  });
}

interface GatewayPeer {
  address: ServiceAddress;
  senderKey: string;
}

/** Returns the gateway of tenants' messages; undefined without one, and without its key for trusted senders. */
function gatewayOf({ config, peers }: Surroundings): GatewayPeer | undefined {
  const { platform, gateway, services } = config;
  const senderHeaders = (key: string) => ({ "x-gateway-sender-key": key });
  if (platform.gateway !== undefined) {
    const { url, senderKey } = platform.gateway;
    const address = peers.find("gateway", { url, headers: senderHeaders(senderKey) });
    return address && { address, senderKey };
  }
  const { trustedSenderKey } = gateway;
  if (trustedSenderKey === undefined || services.gateway?.enabled !== true) return undefined;
  // The gateway is assembled after the platform, because it uses the platform's agents.
  const address = latePeer(peers, "gateway", senderHeaders(trustedSenderKey));
  return { address, senderKey: trustedSenderKey };
}

const tellingMs = 30_000;

/** Tells the gateway how much tenants may store, and returns what it holds for them. */
function gatewayStorageOf({ address, senderKey }: GatewayPeer, clock: Clock): GatewayStorageLimits {
  const client = trustedSenderClient(address, senderKey);
  return async (tenants) => {
    const late = () => new AppError("upstream_timed_out", "gateway_timed_out", "The gateway did not answer.");
    const patience = startDeadline(clock, tellingMs, late);
    try {
      return (await client.tellStorageLimits({ tenants: [...tenants] }, patience.signal)).stored;
    } finally {
      patience.dispose();
    }
  };
}
