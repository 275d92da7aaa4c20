import { eq, lt } from "drizzle-orm";
import type { SignInSettings } from "../../services/cloud/auth/deps.ts";
import type { CloudDeps } from "../../services/cloud/deps.ts";
import type { DoctorCheckup } from "../../services/daemon/system/doctor.ts";

type Finding = Awaited<ReturnType<DoctorCheckup["look"]>>;

/** Time after which an unforgotten memory of a deleted agent is worth a remark. */
const forgettingMs = 3_600_000;

/** The doctor's checks of the managed cloud. */
export function cloudCheckups(
  { storage, signIn, sealer, clock }: Pick<CloudDeps, "storage" | "signIn" | "sealer" | "clock">,
  { folder, hasKeys }: { folder: string; hasKeys: boolean },
): DoctorCheckup[] {
  const { read, tables } = storage;
  return [
    {
      name: "cloud storage",
      async look() {
        await storage.check();
        const place = storage.dialect === "postgres" ? "PostgreSQL" : folder;
        return { status: "healthy", message: `Storage at ${place} is writable.` };
      },
    },
    { name: "cloud sign-in", look: async () => checkSignIn(signIn, hasKeys) },
    {
      name: "cloud provider keys",
      async look() {
        const stored = await read.$count(tables.providerKeys);
        if (sealer === undefined) {
          return {
            status: "degraded",
            message: `There are no sealing keys, so orgs can't store provider keys, and ${stored} stored keys can't be used.`,
            mend: "argosy secrets init, or set ARGOSY_SEALING_KEYS",
          };
        }
        return { status: "healthy", message: `Provider keys of orgs are sealed; ${stored} are stored.` };
      },
    },
    {
      name: "cloud agents",
      async look() {
        const { agents, orgs, retiredAgents } = tables;
        const long = new Date(clock.now().getTime() - forgettingMs);
        const waiting = await read.$count(retiredAgents, lt(retiredAgents.retiredAt, long));
        if (waiting > 0) {
          return {
            status: "degraded",
            message: `The memory of ${waiting} deleted agents could not be deleted for over an hour.`,
            mend: "look for agent.not_forgotten and worker failures in the log",
          };
        }
        const [deployed, all] = [
          await read.$count(agents, eq(agents.status, "deployed")),
          await read.$count(orgs),
        ];
        return { status: "healthy", message: `${deployed} agents of ${all} orgs are deployed.` };
      },
    },
  ];
}

/** The development login is safe for callers on this machine only. */
function checkSignIn({ dev, google, github }: SignInSettings, hasKeys: boolean): Finding {
  if (!hasKeys) {
    return {
      status: "degraded",
      message: "There are no signing keys, so people can't sign in. API keys still work.",
      mend: "argosy secrets init, or set ARGOSY_JWT_KEYS",
    };
  }
  const ways = [...(google ? ["Google"] : []), ...(github ? ["GitHub"] : [])];
  if (dev === "on") {
    return {
      status: "degraded",
      message:
        "The development login is on: anyone who reaches the cloud can sign in under any e-mail address.",
      mend: "unset CLOUD_DEV_LOGIN, and configure Google or GitHub",
    };
  }
  const waysIn =
    ways.length > 0 ? ways.join(" and ") : dev === "local" ? "the development login on this machine" : "";
  return waysIn === ""
    ? {
        status: "degraded",
        message: "No way to sign in is configured.",
        mend: "set CLOUD_GOOGLE_CLIENT_ID, or CLOUD_GITHUB_CLIENT_ID and CLOUD_GITHUB_CLIENT_SECRET",
      }
    : { status: "healthy", message: `People sign in with ${waysIn}.` };
}
