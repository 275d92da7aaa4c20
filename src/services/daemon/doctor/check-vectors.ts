import { join } from "node:path";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { RetrievalParts } from "../../../retrieval/retrieval-ports.ts";
import type { VectorStoreSettings } from "../../../retrieval/stores/store-kind.ts";

type Finding = Omit<DoctorCheck, "name">;

export interface CheckedVectors {
  /** `spec.vectors` of runtime.yaml. */
  settings: VectorStoreSettings | undefined;
  dataFolder: string;
  cacheFolder?: string | undefined;
  /** True if other processes may use the same relational database. */
  sharesDatabase: boolean;
  storeOf: RetrievalParts["storeOf"];
  /** Returns messages for collections and memories whose vectors are in another place. */
  elsewhere: () => Promise<readonly string[]>;
  clock: Clock;
  probeMs: number;
}

/**
 * The doctor's check of vectors: where they are stored, whether the store works, and who shares it. A server is probed. For LanceDB it only
 * checks whether the library can be loaded, because loading takes 200 MB that a daemon without vectors doesn't need.
 */
export async function checkVectors(checked: CheckedVectors): Promise<Finding> {
  const { backend = "lancedb" } = checked.settings ?? {};
  const finding = backend === "lancedb" ? await checkLance(checked) : await checkServer(backend, checked);
  const elsewhere = await checked.elsewhere();
  if (elsewhere.length === 0 || finding.status === "failing") return finding;
  const more = elsewhere.length > shownMax ? ` ${elsewhere.length - shownMax} more are missing.` : "";
  return {
    status: "failing",
    message: `${elsewhere.slice(0, shownMax).join(" ")}${more}`,
    mend: "restore the vectors of this database, or re-index the collections named here",
  };
}

/** Maximum number of messages shown. */
const shownMax = 5;

async function checkLance({
  settings,
  dataFolder,
  cacheFolder,
  sharesDatabase,
}: CheckedVectors): Promise<Finding> {
  const { addonReadiness } = await import("../../../retrieval/stores/lancedb/native/addon-readiness.ts");
  const { requireVectorsFolder } = await import("../../../retrieval/stores/lancedb/lance-place.ts");
  // A thrown error contains the problem and its solution.
  const readiness = await addonReadiness({ dataFolder, cacheFolder });
  const addon = {
    installed: "LanceDB is installed.",
    installable: "LanceDB is installed at the first use.",
    unpacked: "LanceDB is unpacked.",
    packed: "LanceDB is unpacked at first use.",
  }[readiness];
  if (settings?.url !== undefined)
    return { status: "healthy", message: `Vectors are stored by LanceDB in an object store. ${addon}` };
  const folder = join(dataFolder, "vectors");
  await requireVectorsFolder(folder);
  const shared = sharesDatabase ? " Other processes on the same database don't see these vectors." : "";
  return { status: "healthy", message: `Vectors are stored by LanceDB in ${folder}. ${addon}${shared}` };
}

async function checkServer(backend: string, { storeOf, clock, probeMs }: CheckedVectors): Promise<Finding> {
  const patience = startDeadline(clock, probeMs, noAnswer);
  try {
    await untilAborted(patience.signal, () => storeOf({}).check());
  } catch (thrown) {
    return {
      status: "failing",
      message: `${backend} does not respond: ${toAppError(thrown).message}`,
      mend: `start ${backend}, or correct spec.vectors in runtime.yaml`,
    };
  } finally {
    patience.dispose();
  }
  const shared =
    backend === "memory" ? " They are lost when this process ends, and other processes don't see them." : "";
  return { status: "healthy", message: `Vectors are stored by ${backend}, which responds.${shared}` };
}

const noAnswer = () => new AppError("upstream_timed_out", "probe_timed_out", "it did not respond in time.");
