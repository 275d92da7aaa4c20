import type { DoctorCheck } from "../contracts/daemon/system.ts";
import { AppError } from "../kit/app-error.ts";
import { startDeadline } from "../kit/deadline.ts";
import type { DoctorCheckup } from "../services/daemon/system/doctor.ts";
import { listOperators } from "../services/platform/auth/operators.ts";
import type { PlatformDeps } from "../services/platform/deps.ts";
import { unpricedLately } from "../services/platform/tariffs/unpriced-lately.ts";
import type { Config } from "./config.ts";
import { isExposed } from "./exposure.ts";

type Finding = Omit<DoctorCheck, "name">;

interface Patient {
  config: Config;
  deps: PlatformDeps;
  /** Id of the key that signs access tokens; if undefined, people can't sign in. */
  signingKey: string | undefined;
}

const probeMs = 3000;
const namedMax = 5;

/** The doctor's checks of the platform. */
export function platformCheckups(patient: Patient): DoctorCheckup[] {
  return [
    { name: "platform storage", look: () => lookAtStorage(patient) },
    { name: "platform sign-in", look: async () => lookAtSignIn(patient) },
    { name: "platform operators", look: () => lookAtOperators(patient) },
    { name: "platform runtime", look: (signal) => lookAtRuntime(patient, signal) },
    { name: "platform tariffs", look: () => lookAtTariffs(patient) },
    { name: "platform messages", look: async () => lookAtMessages(patient) },
    { name: "platform access", look: async () => lookAtAccess(patient) },
  ];
}

async function lookAtStorage({ config, deps: { storage } }: Patient): Promise<Finding> {
  await storage.check();
  const place = storage.dialect === "postgres" ? "PostgreSQL" : config.dataFolder;
  return { status: "healthy", message: `Writes are committed to ${place}.` };
}

function lookAtSignIn({ signingKey }: Patient): Finding {
  if (signingKey !== undefined)
    return { status: "healthy", message: `Access tokens are signed by the key ${signingKey}.` };
  return {
    status: "degraded",
    message: "There are no signing keys, so nobody can sign in; keys of tenants go on working.",
    mend: "argosy secrets init, or set ARGOSY_JWT_KEYS",
  };
}

async function lookAtOperators({ config, deps }: Patient): Promise<Finding> {
  const people = (await listOperators(deps)).length;
  const found = [
    ...(deps.operatorToken === undefined ? [] : ["whoever has PLATFORM_OPERATOR_TOKEN"]),
    ...(people === 0 ? [] : [people === 1 ? "one person" : `${people} people`]),
  ];
  if (found.length > 0) return { status: "healthy", message: `Operators: ${found.join(" and ")}.` };
  const message = "Nobody is an operator but the command line of this machine.";
  if (!isExposed(config, "platform")) return { status: "healthy", message };
  return {
    status: "degraded",
    message,
    mend: "argosy platform operator grant <email>, or set PLATFORM_OPERATOR_TOKEN",
  };
}

async function lookAtRuntime({ config, deps }: Patient, signal: AbortSignal): Promise<Finding> {
  const { runtimeUrl } = config.platform;
  const place = runtimeUrl === undefined ? "the daemon of this process" : new URL(runtimeUrl).origin;
  const patience = startDeadline(deps.clock, probeMs, noAnswer, [signal]);
  const late = Promise.withResolvers<never>();
  patience.signal.addEventListener("abort", () => late.reject(patience.signal.reason));
  try {
    await Promise.race([deps.runtime.catalog(), late.promise]);
    return { status: "healthy", message: `Agents are run by ${place}, which answers.` };
  } catch (thrown) {
    const reason = thrown instanceof AppError ? thrown.message : "It can't be reached.";
    return {
      status: "failing",
      message: `Agents are run by ${place}. ${reason}`,
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
    `There was no answer within ${probeMs / 1000} seconds.`,
  );

async function lookAtTariffs({ deps }: Patient): Promise<Finding> {
  const unpriced = await unpricedLately(deps);
  if (unpriced.length === 0)
    return { status: "healthy", message: "No run used a model without a tariff lately." };
  const names = unpriced.slice(0, namedMax).join(", ");
  const all = `${names}${unpriced.length > namedMax ? " …" : ""}`;
  return {
    status: "degraded",
    message: deps.settings.allowUnpriced
      ? `Runs of models without a tariff cost nothing: ${all}.`
      : `Runs of models without a tariff are refused (spec.platform.allow_unpriced is false): ${all}.`,
    mend: "file one for each by POST /api/v1/admin/tariffs",
  };
}

function lookAtMessages({ config }: Patient): Finding {
  const { gateway } = config.platform;
  if (gateway === undefined)
    return { status: "healthy", message: "No gateway is set up, so there are no routes for messages." };
  return { status: "healthy", message: `Messages go through the gateway at ${new URL(gateway.url).origin}.` };
}

const admitted = {
  open: "everybody may register",
  invite: "people whom an operator invites may register",
  closed: "nobody may register",
} as const;

function lookAtAccess({ config, deps: { settings } }: Patient): Finding {
  const reach = isExposed(config, "platform") ? "from other machines" : "from this machine alone";
  const proxies = config.access.trustedProxies?.length ?? 0;
  const counted = proxies === 0 ? "" : " Trusted proxies say where a sign-in comes from.";
  const { here, beyond } = settings.registration;
  const forwarded = here === beyond ? "" : `; of requests that a proxy forwards, ${admitted[beyond]}`;
  return {
    status: "healthy",
    message: `It is reached ${reach}, and ${admitted[here]}${forwarded}.${counted}`,
  };
}
