import type { LogLineLevel, OperatedWorker } from "../../../contracts/daemon/operations.ts";
import { counted } from "../counted.ts";

/** Texts of the operations area in the frame. */
export const operationsTexts = {
  title: "Operations",
  process: "This process",
  data: "Data",
  workers: "Workers",
  logs: "Logs",
  storage: "Storage",
  backups: "Backups",
};

/** Texts of the workers and leases. */
export const workerTexts = {
  title: "Workers",
  lead: "Background work of this process, and the leases for work that one process does at a time.",
  refresh: "Refresh",
  running: "Running",
  ofAll: (all: number) => `of ${counted(all, "worker")}`,
  failures: "Failures since the start",
  leases: "Leases",
  heldLeases: "Held leases",
  node: "Node",
  worker: "Worker",
  service: "Service",
  state: "State",
  round: "Last round",
  failure: "Last failure",
  statuses: {
    idle: "Not started",
    running: "Running",
    stuck: "Stuck",
    waiting: "Restarts soon",
    stopped: "Stopped",
  } satisfies Record<OperatedWorker["status"], string>,
  lease: "Lease",
  owner: "Holder",
  until: "Until",
  held: "Held",
  free: "Free",
  shared: "The leases are in PostgreSQL: they are those of every process on this database.",
  noLeases: "No work of this process needed a lease so far.",
};

/** Texts of the log. */
export const logTexts = {
  title: "Logs",
  lead: "Lines of this process's log. It keeps the newest 5,000 in memory; secrets are masked.",
  level: "Lowest level",
  levels: {
    debug: "All",
    info: "Info",
    warning: "Warning",
    error: "Error",
  } satisfies Record<LogLineLevel, string>,
  text: "Contains",
  textHint: "An event, a service, a tenant, a trace id",
  time: "Time",
  ownLevel: "Level",
  event: "Event",
  pause: "Pause",
  resume: "Resume",
  copy: "Copy lines",
  lines: "Lines",
  trace: "Open trace",
  showAll: (chars: string) => `Show all ${chars} characters`,
  showLess: "Show less",
  none: "No line matches.",
  noneKept: "The log has no lines yet.",
};
