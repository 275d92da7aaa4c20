import { runErrorTexts } from "../../../texts/platform-tenant-runs.ts";

/** What somebody can do about a run that ended with this code. */
export function adviceFor(code: string): string {
  const { advice, other } = runErrorTexts;
  return Object.hasOwn(advice, code) ? advice[code as keyof typeof advice] : other;
}
