import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import type { InstallUser } from "../install/install-place.ts";
import { launchdLabel, launchdPlist } from "./launchd-plist.ts";
import { type ServiceSpec, systemdUnit } from "./systemd-unit.ts";

/** The end of a program that was run to its end. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end; tests pass their own. */
export type RunProgram = (command: readonly string[]) => Promise<Ended>;

export interface ServiceState {
  installed: boolean;
  running: boolean;
  /** True if it starts with the system or the session. */
  enabled: boolean;
  /** The manager's own word, such as `active (running)`. */
  state: string;
  pid: number | null;
}

/** The program that starts services on one system, and its commands. */
export interface ServiceManager {
  name: "systemd" | "launchd";
  /** The file that describes the service. */
  file: string;
  environmentFile: string;
  render(spec: ServiceSpec): string;
  /** Commands that load and start a file just written; `again` if a service was there before. */
  start(again: boolean): string[][];
  /** Commands that stop the service and forget it, before its file is removed. */
  stop: string[][];
  /** Commands after the file was removed. */
  forget: string[][];
  status: string[];
  read(ended: Ended): Omit<ServiceState, "installed">;
  /** The command that shows the log. */
  log: string;
}

/** Returns the manager of this machine, or throws if there is none that this program knows. */
export function serviceManager(
  user: InstallUser,
  uid: number,
  isSystemdBooted = existsSync("/run/systemd/system"),
): ServiceManager {
  if (user.platform === "linux") {
    if (isSystemdBooted) return systemd(user);
    throw unsupported(
      "This system does not run systemd.",
      "In a container, let `argosy serve` be the main process. `argosy service install --print` prints the unit for another machine.",
    );
  }
  if (user.platform === "darwin") return launchd(user, uid);
  throw unsupported(
    `Services are installed on Linux with systemd and on macOS, not on ${user.platform}.`,
    "Start `argosy serve` with the service manager of your system; on Windows, for example with Task Scheduler.",
  );
}

/** Returns the manager whose file is printed: also on Linux without systemd. */
export function printingManager(user: InstallUser, uid: number): ServiceManager {
  return serviceManager(user, uid, true);
}

const unsupported = (message: string, hint: string) =>
  new AppError("unsupported", "no_service_manager", message, { details: { hint } });

const unit = "argosy.service";

function systemd(user: InstallUser): ServiceManager {
  const config = user.variable("XDG_CONFIG_HOME") || join(user.home, ".config");
  const systemctl = user.isRoot ? ["systemctl"] : ["systemctl", "--user"];
  return {
    name: "systemd",
    file: user.isRoot ? `/etc/systemd/system/${unit}` : join(config, "systemd/user", unit),
    environmentFile: user.isRoot ? "/etc/argosy/environment" : join(config, "argosy/environment"),
    render: systemdUnit,
    start: (again) => [
      [...systemctl, "daemon-reload"],
      [...systemctl, "enable", unit],
      [...systemctl, again ? "restart" : "start", unit],
    ],
    stop: [[...systemctl, "disable", "--now", unit]],
    forget: [[...systemctl, "daemon-reload"]],
    status: [...systemctl, "show", unit, "--property=ActiveState,SubState,UnitFileState,MainPID"],
    read({ stdout }) {
      const facts = new Map(
        stdout.split("\n").map((line) => [line.split("=")[0] ?? "", line.split("=")[1] ?? ""]),
      );
      const active = facts.get("ActiveState") ?? "unknown";
      const pid = Number(facts.get("MainPID") ?? "0");
      return {
        running: active === "active",
        enabled: facts.get("UnitFileState") === "enabled",
        state: `${active} (${facts.get("SubState") ?? "unknown"})`,
        pid: pid > 0 ? pid : null,
      };
    },
    log: user.isRoot ? `journalctl -u ${unit}` : `journalctl --user -u ${unit}`,
  };
}

function launchd(user: InstallUser, uid: number): ServiceManager {
  const folder = user.isRoot ? "/Library/LaunchDaemons" : join(user.home, "Library/LaunchAgents");
  const domain = user.isRoot ? "system" : `gui/${uid}`;
  const file = join(folder, `${launchdLabel}.plist`);
  const unload = ["launchctl", "bootout", `${domain}/${launchdLabel}`];
  return {
    name: "launchd",
    file,
    environmentFile: user.isRoot ? "/etc/argosy/environment" : join(user.home, ".config/argosy/environment"),
    render: launchdPlist,
    start: (again) => [...(again ? [unload] : []), ["launchctl", "bootstrap", domain, file]],
    stop: [unload],
    forget: [],
    status: ["launchctl", "print", `${domain}/${launchdLabel}`],
    read({ code, stdout }) {
      const state = /^\s*state = (.+)$/m.exec(stdout)?.[1] ?? "not loaded";
      const pid = /^\s*pid = (\d+)$/m.exec(stdout)?.[1];
      return {
        running: state === "running",
        enabled: code === 0,
        state,
        pid: pid === undefined ? null : Number(pid),
      };
    },
    log: "tail -f <data folder>/service.log",
  };
}
