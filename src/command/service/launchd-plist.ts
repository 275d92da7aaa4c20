import { join } from "node:path";
import { generatedMark, type ServiceSpec } from "./systemd-unit.ts";

export const launchdLabel = "dev.argosy.serve";

/**
 * Returns the property list of launchd for a service. launchd starts it at login (for root: at boot) and again when it fails. It knows no
 * file of variables, so a shell reads the file before it becomes the server.
 */
export function launchdPlist({
  executable,
  workspace,
  dataFolder,
  environmentFile,
  account,
}: ServiceSpec): string {
  const script = 'set -a; [ ! -r "$1" ] || . "$1"; set +a; exec "$2" serve';
  const log = join(dataFolder, "service.log");
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${generatedMark} -->`,
    '<plist version="1.0">',
    "<dict>",
    ...entry("Label", text(launchdLabel)),
    ...entry("ProgramArguments", list(["/bin/sh", "-c", script, "argosy", environmentFile, executable])),
    ...(account === undefined ? [] : entry("UserName", text(account))),
    ...entry("WorkingDirectory", text(workspace)),
    ...entry("EnvironmentVariables", [
      "<dict>",
      ...entry("ARGOSY_WORKSPACE", text(workspace)),
      ...entry("ARGOSY_DATA", text(dataFolder)),
      ...entry("ARGOSY_TRUST", text("true")),
      "</dict>",
    ]),
    ...entry("RunAtLoad", ["<true/>"]),
    ...entry("KeepAlive", ["<dict>", ...entry("SuccessfulExit", ["<false/>"]), "</dict>"]),
    ...entry("ExitTimeOut", ["<integer>90</integer>"]),
    ...entry("Umask", ["<integer>63</integer>"]),
    ...entry("SoftResourceLimits", [
      "<dict>",
      ...entry("NumberOfFiles", ["<integer>65536</integer>"]),
      "</dict>",
    ]),
    ...entry("StandardOutPath", text(log)),
    ...entry("StandardErrorPath", text(log)),
    "</dict>",
    "</plist>",
    "",
  ];
  return lines.join("\n");
}

const entry = (key: string, value: readonly string[]): string[] => [`<key>${key}</key>`, ...value];
const text = (value: string): string[] => [`<string>${escaped(value)}</string>`];
const list = (values: readonly string[]): string[] => ["<array>", ...values.flatMap(text), "</array>"];

const escaped = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
