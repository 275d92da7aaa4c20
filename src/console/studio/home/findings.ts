import type { Approval } from "../../../contracts/daemon/runs/approvals.ts";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { homeTexts as texts } from "../../texts/studio/home.ts";
import { agentPaths } from "../agents/agent-paths.ts";

/** An item that needs a person's attention. */
export interface Finding {
  tone: "bad" | "warn";
  title: string;
  text: string;
  href: string;
}

export interface Watched {
  approvals?: readonly Approval[] | undefined;
  checks?: readonly DoctorCheck[] | undefined;
}

/** Calls that wait for a person, then the doctor's findings in its own words: failing ones before degraded ones. */
export function findingsOf({ approvals = [], checks = [] }: Watched): Finding[] {
  const waiting = approvals.map(
    ({ id, agent, tool, via }): Finding => ({
      tone: "warn",
      title: texts.waiting(tool, via ?? agent),
      text: texts.decide,
      href: `/studio/approvals?id=${encodeURIComponent(id)}`,
    }),
  );
  const ofStatus = (wanted: DoctorCheck["status"]) =>
    checks.filter(({ status }) => status === wanted).flatMap(findingsIn);
  return [...waiting, ...ofStatus("failing"), ...ofStatus("degraded")];
}

function findingsIn({ name, status, message, findings = [] }: DoctorCheck): Finding[] {
  const tone = status === "failing" ? "bad" : "warn";
  if (findings.length === 0) return [{ tone, title: name, text: message, href: "/studio/doctor" }];
  return findings.map(({ subject, message: text }) => ({
    tone,
    title: subject,
    text,
    href: placeOf(name, subject),
  }));
}

/** The page on which a finding can be mended. */
function placeOf(check: string, subject: string): string {
  if (check === "agents") return agentPaths.of(subject);
  return check === "providers" ? "/studio/models" : "/studio/doctor";
}
