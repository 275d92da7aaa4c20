import type { DoctorCheckup } from "../services/daemon/system/doctor.ts";
import type { Operated } from "./foundation.ts";

const namedMax = 5;

/** The doctor's check of the background workers of all services. It says nothing in a command, which starts none. */
export function workerCheckup(workers: Operated["workers"]): DoctorCheckup {
  return {
    name: "background workers",
    async look() {
      const all = workers();
      const bad = all.filter(({ state }) => state.status === "stuck" || state.status === "waiting");
      if (bad.length === 0) return { status: "healthy", message: "The background workers get on." };
      const named = bad
        .slice(0, namedMax)
        .map(({ service, state: { name, status } }) =>
          status === "stuck"
            ? `${service} ${name} gets no work done`
            : `${service} ${name} fails again and again`,
        );
      const more = bad.length > namedMax ? ` And ${bad.length - namedMax} more.` : "";
      return {
        status: "failing",
        message: `${named.join(". ")}.${more}`,
        mend: "Fix the cause, which `argosy workers` and `argosy logs` show: they then go on by themselves. If a stuck one stays so, restart the server.",
      };
    },
  };
}
