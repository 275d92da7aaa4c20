import { randomBytes } from "node:crypto";
import { version } from "../../../package.json" with { type: "json" };
import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import { runtimeClient } from "../../contracts/runtime/http-client.ts";
import { KeyUses } from "../../control-plane/keys/key-uses.ts";
import { EvalWork } from "../../evals/hosted/eval-work.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Worker } from "../../kit/worker.ts";
import { createChangeLimit } from "../../services/cloud/access/change-limit.ts";
import { builtinPlans } from "../../services/cloud/access/plans.ts";
import { registerDeployed } from "../../services/cloud/agents/registrations.ts";
import { type CloudDoor, createCloudApp } from "../../services/cloud/app.ts";
import { accessTokenSeconds, type SignInSettings } from "../../services/cloud/auth/deps.ts";
import { openAccount } from "../../services/cloud/auth/open-account.ts";
import { createControlApp } from "../../services/cloud/control/control-app.ts";
import type { CloudDeps } from "../../services/cloud/deps.ts";
import { migrations } from "../../services/cloud/migrations.gen.ts";
import { Admissions } from "../../services/cloud/runs/admissions.ts";
import { OpenStreams } from "../../services/cloud/runs/open-streams.ts";
import { runTimeoutMs } from "../../services/cloud/runs/perform-run.ts";
import { RunUsage } from "../../services/cloud/runs/run-usage.ts";
import { tables } from "../../services/cloud/tables.ts";
import { cloudWorkers } from "../../services/cloud/workers.ts";
import type { MemberSignIn } from "../../services/console/deps.ts";
import { createAccessTokens } from "../../storage/access-tokens.ts";
import { OwnerLife } from "../../storage/owner-life.ts";
import { rememberingSealer } from "../../storage/sealing/remembering-sealer.ts";
import { isExposed } from "../exposure.ts";
import type { AssembledService, Foundation } from "../foundation.ts";
import { pendingWork } from "../pending-work.ts";
import type { AccessRule } from "../service.ts";
import { openOwnStorage, readinessOf } from "../service-storage.ts";
import type { Config } from "../settings/config.ts";
import { openJwtKeys } from "../settings/secrets/local-secrets.ts";
import { cloudCheckups } from "./cloud-checkups.ts";

const tokenKind = {
  issuer: "cloud",
  audience: "cloud-api",
  purpose: "cloud access tokens",
  seconds: accessTokenSeconds,
};

/** Assembles the managed cloud on its own storage and the runtime of this process. */
export async function assembleCloud(foundation: Foundation, accessTo: AccessRule): Promise<AssembledService> {
  const { config, log, clock, newId, folder, sealer } = foundation;
  const jwtKeys = openJwtKeys(config, folder);
  const runtime = runtimeOf(foundation);
  const storage = await openOwnStorage(foundation, { service: "cloud", tables, migrations });
  const streams = new OpenStreams({ storage, newId, log });
  const runUsage = new RunUsage({ storage, clock, log, runtime });
  // A SQLite database belongs to one process, so every stream in it is a former process's.
  if (storage.dialect === "sqlite") await streams.clear();
  const owner = newId();
  // Other processes of a shared database take over the runs of evals of one that is dead.
  const life = new OwnerLife(storage, owner, clock);
  await life.renew();
  const stopping = new AbortController();
  const pending = pendingWork();
  const deps: CloudDeps = {
    version,
    clock,
    newId,
    log,
    storage,
    // Without keys, people can't sign in, so this key never signs anything.
    tokens: createAccessTokens(jwtKeys ?? [{ kid: "none", secret: randomBytes(32) }], clock, tokenKind),
    keyUses: new KeyUses(clock),
    changes: createChangeLimit(clock),
    plans: new Map([...builtinPlans, ...Object.entries(config.cloud.plans)]),
    sealer: sealer && rememberingSealer(sealer),
    // A code can be exchanged once, so no request may meet a connection that the provider is closing.
    identityFetch: (request) => fetch(request, { keepalive: false }),
    signIn: signInOf(config),
    runtime,
    settings: { runTimeoutMs },
    streams,
    runUsage,
    admissions: new Admissions({ storage, clock }),
    evalWork: new EvalWork(),
    owner,
    life,
    stopping: stopping.signal,
  };
  let isRegistered = false;
  const door: CloudDoor = {
    access: accessTo([]),
    secure: config.tls !== undefined,
    withSignIn: jwtKeys !== undefined,
    async readReadiness() {
      const checks = await readinessOf("cloud", storage, foundation);
      return [...checks, { name: "deployed agents", ok: isRegistered }];
    },
  };
  const registering: Worker = {
    name: "deployed-agents",
    async run(signal) {
      const agents = await registerDeployed(deps, signal);
      isRegistered = true;
      log.info("agents.registered", { agents });
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    },
  };
  const app = pending.over(createCloudApp(deps, door));
  return {
    app,
    control: createControlApp(deps, app, door),
    storage,
    checkups: cloudCheckups(deps, { folder: config.dataFolder, hasKeys: jwtKeys !== undefined }),
    workers: [registering, ...cloudWorkers(deps)],
    ...(jwtKeys && { members: membersOf(deps) }),
    intake: { begin() {}, retire: pending.ended },
    cancel: () => stopping.abort(),
    async close() {
      await pending.ended();
      try {
        await runUsage.addLate();
        await runUsage.flush();
        await life.end().catch((err) => log.warn("cloud.owner_kept", { err }));
      } finally {
        await storage.close();
      }
    },
  };
}

/** The machine's owner signs in by the console's link, also if the development login is off. */
function membersOf(deps: CloudDeps): MemberSignIn {
  const { dev, google, github } = deps.signIn;
  return {
    ways: { dev: dev !== "off", google: google?.clientSecret !== undefined, github: github !== undefined },
    openOwnerSession: () =>
      openAccount(deps, { source: "dev", subject: undefined, email: ownerEmail, name: "Owner" }),
  };
}

/** No e-mail address of a person: it has no domain. */
const ownerEmail = "owner@localhost";

/** The development login is off once a real sign-in is configured, unless the operator says otherwise. */
function signInOf(config: Pick<Config, "cloud" | "services" | "access">): SignInSettings {
  const { devLogin, google, github } = config.cloud;
  const isReal = google !== undefined || github !== undefined;
  const usual = isReal || isExposed(config, "cloud") ? "off" : "local";
  return {
    dev: devLogin === undefined ? usual : devLogin ? "on" : "off",
    google: google && {
      ...google,
      clientSecret: google.clientSecret,
      // Google writes its issuer in both forms.
      issuers: [google.issuer, google.issuer.replace(/^https:\/\//, "")],
    },
    github,
  };
}

function runtimeOf({ peers }: Pick<Foundation, "peers">): RuntimeClient {
  const address = peers.find("daemon");
  if (address !== undefined) return runtimeClient(address);
  throw new AppError("invalid", "runtime_needed", "The cloud has no runtime for its agents.", {
    details: { hint: "Start the daemon beside it." },
  });
}
