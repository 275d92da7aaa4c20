import type { SignedInAs } from "../contracts/console/session.ts";
import type { Area } from "./page.ts";

/** Where each area begins. */
export const homes: Readonly<Record<Area, string>> = { studio: "/studio", platform: "/platform" };

/** Where operators of the platform begin. */
export const operatorHome = "/platform/operator";

/**
 * Where a session begins: operators at their overview, everybody else in the area of the service that was opened. Who opened the
 * daemon by the link of this machine's owner begins in the Studio, operator or not.
 */
export function homeOf(home: string, { daemon, operator, local }: SignedInAs): string {
  if (operator && !(local && home === "daemon")) return operatorHome;
  return home === "daemon" && daemon ? homes.studio : homes.platform;
}
