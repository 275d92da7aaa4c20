import { join } from "node:path";
import type { DoctorCheck } from "../contracts/daemon/system.ts";
import { AppError, toAppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import { startDeadline } from "../kit/deadline.ts";
import { untilAborted } from "../kit/until-aborted.ts";
import type { RetrievalParts } from "../retrieval/retrieval-parts.ts";
import type { VectorStoreSettings } from "../retrieval/stores/store-settings.ts";

type Finding = Omit<DoctorCheck, "name">;

export interface VectorsPatient {
  /** `spec.vectors` of runtime.yaml. */
  settings: VectorStoreSettings | undefined;
  dataFolder: string;
  /** Whether other processes may use the same relational database. */
  sharesDatabase: boolean;
  storeOf: RetrievalParts["storeOf"];
  /** What is said of collections and memories whose vectors are not here. */
  elsewhere: () => Promise<readonly string[]>;
  clock: Clock;
  probeMs: number;
}

/**
 * Where the installation keeps its vectors, whether it could, and who else sees them. A server is asked; of LanceDB it is seen
 * whether it can be loaded, without loading it: a daemon that has no vectors has no need for its 200 MB.
 */
export async function lookAtVectors(patient: VectorsPatient): Promise<Finding> {
  const { backend = "lancedb" } = patient.settings ?? {};
  const found = backend === "lancedb" ? await lookAtLance(patient) : await lookAtServer(backend, patient);
  const said = await patient.elsewhere();
  if (said.length === 0 || found.status === "failing") return found;
  const more = said.length > shownMax ? ` ${said.length - shownMax} more are not here either.` : "";
  return {
    status: "failing",
    message: `${said.slice(0, shownMax).join(" ")}${more}`,
    mend: "restore the vectors that belong to this database, or re-index what is named here",
  };
}

/** So many messages say enough. */
const shownMax = 5;

async function lookAtLance({ settings, dataFolder, sharesDatabase }: VectorsPatient): Promise<Finding> {
  const { addonReadiness } = await import("../retrieval/stores/lancedb/native/addon-readiness.ts");
  const { requireVectorsFolder } = await import("../retrieval/stores/lancedb/lance-place.ts");
  // What is thrown says what stands in the way, and what mends it.
  const readiness = await addonReadiness(dataFolder);
  const addon = {
    installed: "LanceDB is installed.",
    installable: "LanceDB is installed at the first use.",
    unpacked: "LanceDB is unpacked.",
    packed: "LanceDB is unpacked at the first use.",
  }[readiness];
  if (settings?.url !== undefined)
    return { status: "healthy", message: `Vectors are kept by lancedb in an object store. ${addon}` };
  const folder = join(dataFolder, "vectors");
  await requireVectorsFolder(folder);
  const shared = sharesDatabase ? " Other processes over the same database have their own, not these." : "";
  return { status: "healthy", message: `Vectors are kept by lancedb in ${folder}. ${addon}${shared}` };
}

async function lookAtServer(backend: string, { storeOf, clock, probeMs }: VectorsPatient): Promise<Finding> {
  const patience = startDeadline(clock, probeMs, noAnswer);
  try {
    await untilAborted(patience.signal, () => storeOf({}).check());
  } catch (thrown) {
    return {
      status: "failing",
      message: `${backend} does not answer: ${toAppError(thrown).message}`,
      mend: `start ${backend}, or correct spec.vectors in runtime.yaml`,
    };
  } finally {
    patience.dispose();
  }
  const shared = backend === "memory" ? " They are gone when this process ends, and no other sees them." : "";
  return { status: "healthy", message: `Vectors are kept by ${backend}, which answers.${shared}` };
}

const noAnswer = () => new AppError("upstream_timed_out", "probe_timed_out", "there was no answer in time.");
