import type {
  DoctorCheck,
  DoctorReport,
  RetriedWork,
  RetriedWorkInput,
} from "../../../contracts/daemon/system.ts";
import { toAppError } from "../../../kit/app-error.ts";

/** Checks one thing. If `look` throws, the check is `failing`, with the exception's message. */
export interface DoctorCheckup {
  name: string;
  look: (signal: AbortSignal) => Promise<Omit<DoctorCheck, "name">>;
}

/** Lets parked work be done again. Throws AppError `not_found` if none is parked under the key. */
export type RetryParked = (work: RetriedWorkInput) => Promise<RetriedWork>;

/** Runs all check-ups in parallel and counts the results. */
export async function examine(
  checkups: readonly DoctorCheckup[],
  signal: AbortSignal,
): Promise<DoctorReport> {
  const checks = await Promise.all(checkups.map((checkup) => lookAt(checkup, signal)));
  const count = (status: DoctorCheck["status"]) => checks.filter((check) => check.status === status).length;
  return {
    checks,
    summary: { healthy: count("healthy"), degraded: count("degraded"), failing: count("failing") },
  };
}

async function lookAt(checkup: DoctorCheckup, signal: AbortSignal): Promise<DoctorCheck> {
  try {
    return { name: checkup.name, ...(await checkup.look(signal)) };
  } catch (thrown) {
    const { message, details } = toAppError(thrown);
    const mend = details.hint === undefined ? {} : { mend: details.hint };
    return { name: checkup.name, status: "failing", message, ...mend };
  }
}
