import { and, asc, eq, isNull } from "drizzle-orm";
import type { DoctorCheck } from "../../contracts/daemon/system.ts";
import { AppError } from "../../kit/app-error.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { DoctorCheckup } from "../../services/daemon/system/doctor.ts";
import { listOperators } from "../../services/platform/auth/operators.ts";
import type { PlatformDeps } from "../../services/platform/deps.ts";
import { unpricedLately } from "../../services/platform/tariffs/unpriced-lately.ts";
import { isExposed } from "../exposure.ts";
import type { Config } from "../settings/config.ts";

type Finding = Omit<DoctorCheck, "name">;

interface Checked {
  config: Pick<Config, "dataFolder" | "platform" | "services" | "access">;
  deps: PlatformDeps;
  /** Id of the key that signs access tokens; if undefined, people can't sign in. */
  signingKey: string | undefined;
}

const probeMs = 3000;
const namedMax = 5;

/** The doctor's checks of the platform. */
export function platformCheckups(checked: Checked): DoctorCheckup[] {
  return [
    { name: "platform storage", look: () => checkStorage(checked) },
    { name: "platform sign-in", look: async () => checkSignIn(checked) },
    { name: "platform operators", look: () => checkOperators(checked) },
    { name: "platform runtime", look: (signal) => checkRuntime(checked, signal) },
    { name: "platform tariffs", look: () => checkTariffs(checked) },
    { name: "platform messages", look: async () => checkMessages(checked) },
    { name: "platform access", look: async () => checkAccess(checked) },
  ];
}

async function checkStorage({ config, deps: { storage } }: Checked): Promise<Finding> {
  await storage.check();
  const place = storage.dialect === "postgres" ? "PostgreSQL" : config.dataFolder;
  const message = `Storage at ${place} is writable.`;
  const unused = await connectionsWithoutAddress(storage);
  if (unused.length === 0) return { status: "healthy", message };
  const names = `${unused.slice(0, namedMax).join(", ")}${unused.length > namedMax ? " …" : ""}`;
  return {
    status: "degraded",
    message: `${message} Tools refuse these connections, because they have no base URL: ${names}.`,
    mend: "store each again: argosy platform connections create <name> --base-url <address>",
  };
}

/** Connections of earlier versions, as `<tenant>/<name>`. */
async function connectionsWithoutAddress({ read, tables }: PlatformDeps["storage"]): Promise<string[]> {
  const { connections, tenants } = tables;
  const rows = await read
    .select({ tenant: tenants.crName, name: connections.name })
    .from(connections)
    .innerJoin(tenants, eq(tenants.id, connections.tenantId))
    .where(and(isNull(connections.baseUrl), isNull(tenants.deletedAt)))
    .orderBy(asc(tenants.crName), asc(connections.name));
  return rows.map(({ tenant, name }) => `${tenant}/${name}`);
}

function checkSignIn({ signingKey }: Checked): Finding {
  if (signingKey !== undefined)
    return { status: "healthy", message: `Access tokens are signed with the key ${signingKey}.` };
  return {
    status: "degraded",
    message: "There are no signing keys, so people can't sign in. API keys still work.",
    mend: "argosy secrets init, or set ARGOSY_JWT_KEYS",
  };
}

async function checkOperators({ config, deps }: Checked): Promise<Finding> {
  const people = (await listOperators(deps)).length;
  const operators = [
    ...(deps.operatorToken === undefined ? [] : ["holders of PLATFORM_OPERATOR_TOKEN"]),
    ...(people === 0 ? [] : [people === 1 ? "one person" : `${people} people`]),
  ];
  if (operators.length > 0) return { status: "healthy", message: `Operators: ${operators.join(" and ")}.` };
  const message = "There are no operators. Only the command line of this machine has operator rights.";
  if (!isExposed(config, "platform")) return { status: "healthy", message };
  return {
    status: "degraded",
    message,
    mend: "argosy platform operator grant <email>, or set PLATFORM_OPERATOR_TOKEN",
  };
}

async function checkRuntime({ config, deps }: Checked, signal: AbortSignal): Promise<Finding> {
  const { runtimeUrl } = config.platform;
  const place = runtimeUrl === undefined ? "the daemon in this process" : new URL(runtimeUrl).origin;
  const patience = startDeadline(deps.clock, probeMs, noAnswer, [signal]);
  const late = Promise.withResolvers<never>();
  patience.signal.addEventListener("abort", () => late.reject(patience.signal.reason));
  try {
    await Promise.race([deps.runtime.catalog(), late.promise]);
    return { status: "healthy", message: `Agents run on ${place}, which responds.` };
  } catch (thrown) {
    const reason = thrown instanceof AppError ? thrown.message : "It can't be reached.";
    return {
      status: "failing",
      message: `Agents run on ${place}. ${reason}`,
      mend: "start that daemon with the same PLATFORM_RUNTIME_TOKEN, or correct spec.platform.runtime_url",
    };
  } finally {
    patience.dispose();
  }
}

const noAnswer = () =>
  new AppError(
    "upstream_timed_out",
    "probe_timed_out",
    `It did not respond within ${probeMs / 1000} seconds.`,
  );

async function checkTariffs({ deps }: Checked): Promise<Finding> {
  const unpriced = await unpricedLately(deps);
  if (unpriced.length === 0)
    return { status: "healthy", message: "Recent runs used only models with a tariff." };
  const names = unpriced.slice(0, namedMax).join(", ");
  const all = `${names}${unpriced.length > namedMax ? " …" : ""}`;
  return {
    status: "degraded",
    message: deps.settings.allowUnpriced
      ? `Runs on models without a tariff are not charged: ${all}.`
      : `Runs on models without a tariff are refused (spec.platform.allow_unpriced is false): ${all}.`,
    mend: "create a tariff for each: argosy platform tariffs create",
  };
}

function checkMessages({ config }: Checked): Finding {
  const { gateway } = config.platform;
  if (gateway === undefined)
    return { status: "healthy", message: "No gateway is configured, so message routes are off." };
  const { origin, pathname } = new URL(gateway.url);
  return {
    status: "healthy",
    message: `Messages use the gateway at ${origin}${pathname.replace(/\/$/, "")}.`,
  };
}

const admitted = {
  open: "anyone may register",
  invite: "only invited people may register",
  closed: "registration is closed",
} as const;

function checkAccess({ config, deps: { settings } }: Checked): Finding {
  const reach = isExposed(config, "platform") ? "from other machines" : "from this machine only";
  const proxies = config.access.trustedProxies?.length ?? 0;
  const counted = proxies === 0 ? "" : " Trusted proxies report the caller's address at sign-in.";
  const { here, beyond } = settings.registration;
  const forwarded = here === beyond ? "" : `; for requests through a proxy, ${admitted[beyond]}`;
  return {
    status: "healthy",
    message: `The platform is reachable ${reach}; ${admitted[here]}${forwarded}.${counted}`,
  };
}
