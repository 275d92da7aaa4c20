import { runErrorTexts } from "../../../texts/platform/tenant-runs.ts";

/** Returns advice for a run that ended with this error code. */
export function adviceFor(code: string): string {
  const { advice, other } = runErrorTexts;
  return Object.hasOwn(advice, code) ? advice[code as keyof typeof advice] : other;
}
