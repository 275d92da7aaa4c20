import { AppError } from "../../kit/app-error.ts";

/** One Argosy to be started by the system: the executable, its folders, and the file of its variables. */
export interface ServiceSpec {
  executable: string;
  workspace: string;
  dataFolder: string;
  /** The file of variables such as keys and `ARGOSY_HOST`; it may be missing. */
  environmentFile: string;
  /** The account of a system service; undefined for a service of the user's own session. */
  account: string | undefined;
}

/** The first line of generated files, which tells them from files that people wrote. */
export const generatedMark = "Written by `argosy service install`; installing again replaces changes.";

/**
 * Returns the systemd unit of a service. A system unit is confined like deploy/argosy.service, and can write to its two folders alone. A user
 * unit has only the restrictions that need no namespace, because many systems refuse namespaces to user sessions.
 */
export function systemdUnit(spec: ServiceSpec): string {
  const { executable, workspace, dataFolder, environmentFile, account } = spec;
  for (const path of [executable, workspace, dataFolder, environmentFile]) refuseControlCharacters(path);
  const isSystem = account !== undefined;
  const program = inCommand(executable);
  return [
    `# ${generatedMark}`,
    "[Unit]",
    "Description=Argosy",
    ...(isSystem ? ["After=network-online.target", "Wants=network-online.target"] : []),
    "",
    "[Service]",
    "Type=exec",
    ...(isSystem ? [`User=${account}`] : []),
    `EnvironmentFile=-${escapedPercent(environmentFile)}`,
    `Environment=${quoted(`ARGOSY_WORKSPACE=${workspace}`)} ${quoted(`ARGOSY_DATA=${dataFolder}`)}`,
    "# Whoever installs the service trusts the programs of its workspace: `argosy trust --help`.",
    "Environment=ARGOSY_TRUST=true",
    `WorkingDirectory=${escapedPercent(workspace)}`,
    `ExecStart=${program} serve`,
    "# Empties a node of a mesh before it stops; without a mesh it does nothing.",
    `ExecStop=-${program} mesh drain`,
    "KillSignal=SIGTERM",
    "TimeoutStopSec=150",
    "Restart=on-failure",
    "RestartSec=2",
    "LimitNOFILE=65536",
    "UMask=0077",
    "NoNewPrivileges=yes",
    "RestrictSUIDSGID=yes",
    ...(isSystem ? confinement(spec) : []),
    "",
    "[Install]",
    `WantedBy=${isSystem ? "multi-user.target" : "default.target"}`,
    "",
  ].join("\n");
}

function confinement({ executable, workspace, dataFolder }: ServiceSpec): string[] {
  const isAtHome = [executable, workspace, dataFolder].some((path) =>
    /^\/(home|root|run\/user)\//.test(`${path}/`),
  );
  return [
    `ReadWritePaths=${quoted(workspace)} ${quoted(dataFolder)}`,
    // `yes` would hide the folders of a service that lives in a home.
    `ProtectHome=${isAtHome ? "read-only" : "yes"}`,
    ...restrictions,
  ];
}

/** What no service needs, nor the programs of its workspace. Machine code is written at run time, so memory may be written and executed. */
const restrictions = [
  "ProtectSystem=strict",
  "PrivateTmp=yes",
  "PrivateDevices=yes",
  "ProtectClock=yes",
  "ProtectControlGroups=yes",
  "ProtectHostname=yes",
  "ProtectKernelLogs=yes",
  "ProtectKernelModules=yes",
  "ProtectKernelTunables=yes",
  "ProtectProc=invisible",
  "CapabilityBoundingSet=",
  "LockPersonality=yes",
  "RemoveIPC=yes",
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX",
  "RestrictNamespaces=yes",
  "RestrictRealtime=yes",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "SystemCallErrorNumber=EPERM",
];

function refuseControlCharacters(path: string): void {
  if (/\p{Cc}/u.test(path))
    throw new AppError(
      "invalid",
      "unusable_path",
      `${JSON.stringify(path)} cannot be written into a service file.`,
      {
        details: { hint: "Use folders whose names have no line breaks or other control characters." },
      },
    );
}

const escapedPercent = (text: string): string => text.replaceAll("%", "%%");

/** Quotes one word of a list; see "Quoting" in systemd.syntax(7). */
const quoted = (text: string): string => `"${escapedPercent(text).replaceAll(/["\\]/g, "\\$&")}"`;

/** Quotes a word of a command line, where `$` would begin a variable. */
const inCommand = (text: string): string =>
  /^[\w./+-]+$/.test(text) ? text : quoted(text).replaceAll("$", "$$$$");
