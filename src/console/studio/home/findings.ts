import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import type { Approval } from "../../../contracts/daemon/approvals.ts";
import type { Provider } from "../../../contracts/daemon/providers.ts";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { homeTexts as texts } from "../../texts/studio-home.ts";
import { agentPaths } from "../agents/agent-paths.ts";

/** An item that needs a person's attention. */
export interface Finding {
  tone: "bad" | "warn";
  title: string;
  text: string;
  href: string;
}

export interface Watched {
  agents?: readonly AgentSummary[] | undefined;
  approvals?: readonly Approval[] | undefined;
  providers?: readonly Provider[] | undefined;
  checks?: readonly DoctorCheck[] | undefined;
}

/** Returns all items that need attention: first those that block people, then failures, then warnings. */
export function findingsOf({ agents = [], approvals = [], providers = [], checks = [] }: Watched): Finding[] {
  const found: Finding[] = [
    ...approvals.map(
      ({ id, agent, tool, via }): Finding => ({
        tone: "warn",
        title: texts.waiting(tool, via ?? agent),
        text: texts.decide,
        href: `/studio/approvals?id=${encodeURIComponent(id)}`,
      }),
    ),
    ...agents.flatMap(({ name, status, error }): Finding[] =>
      error === undefined
        ? []
        : [
            {
              tone: status === "failed" ? "bad" : "warn",
              title: name,
              text: error,
              href: agentPaths.of(name),
            },
          ],
    ),
    ...providers.flatMap(({ name, status, reason }): Finding[] =>
      status === "unavailable" || status === "degraded"
        ? [
            {
              tone: status === "unavailable" ? "bad" : "warn",
              title: name,
              text: reason ?? texts[status],
              href: "/studio/models",
            },
          ]
        : [],
    ),
    ...checks.flatMap(({ name, status, message }): Finding[] =>
      // The failed agents are already listed above, each with its own reason.
      status === "healthy" || name === "agents"
        ? []
        : [
            {
              tone: status === "failing" ? "bad" : "warn",
              title: name,
              text: message,
              href: "/studio/doctor",
            },
          ],
    ),
  ];
  const waiting = found.splice(0, approvals.length);
  return [
    ...waiting,
    ...found.filter(({ tone }) => tone === "bad"),
    ...found.filter(({ tone }) => tone === "warn"),
  ];
}
