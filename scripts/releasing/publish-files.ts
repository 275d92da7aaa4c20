import { type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReleaseList } from "../../src/command/upgrade/release-list.ts";
import { archiveName } from "./archives.ts";

/** What the files of a download page are made from. */
export interface PublishFacts {
  version: string;
  /** The address that the files will have, without a final slash. */
  url: string;
  /** Address of the project; the download page by default. */
  homepage: string;
  /** The day of the release: `2026-01-31`. */
  date: string;
  /** SHA-256 of each archive, by the system's name. */
  archives: Readonly<Record<string, string>>;
}

/** Returns the script that installs the archive of a system after it has compared its checksum. */
export function installScript(root: string, { version, url, archives }: PublishFacts): string {
  const sums = Object.entries(archives)
    .filter(([name]) => !name.startsWith("windows"))
    .map(([name, sum]) => `${sum}  ${archiveName(version, { name })}`);
  const values: Readonly<Record<string, string>> = { VERSION: version, URL: url, SUMS: sums.join("\n") };
  return readFileSync(join(root, "deploy/install.sh"), "utf8").replaceAll(
    /@(VERSION|URL|SUMS)@/g,
    (_, name: string) => values[name] ?? "",
  );
}

/** Returns the formula for a tap of Homebrew. */
export function homebrewFormula({ version, url, homepage, archives }: PublishFacts): string {
  const source = (name: string, indent: string) =>
    archives[name] === undefined
      ? []
      : [`${indent}url "${url}/${archiveName(version, { name })}"`, `${indent}sha256 "${archives[name]}"`];
  const system = (os: string, on: string) => {
    const parts = (
      [
        ["arm64", "on_arm"],
        ["x64", "on_intel"],
      ] as const
    )
      .filter(([arch]) => archives[`${os}-${arch}`] !== undefined)
      .flatMap(([arch, block]) => [`    ${block} do`, ...source(`${os}-${arch}`, "      "), "    end"]);
    return parts.length === 0 ? [] : [`  ${on} do`, ...parts, "  end", ""];
  };
  return [
    "class Argosy < Formula",
    '  desc "Designs, runs, serves and bills AI agents from one executable"',
    `  homepage "${homepage}"`,
    `  version "${version}"`,
    '  license "Apache-2.0"',
    "",
    ...system("darwin", "on_macos"),
    ...system("linux", "on_linux"),
    "  def install",
    '    bin.install "argosy"',
    '    bash_completion.install "completions/argosy.bash" => "argosy"',
    '    fish_completion.install "completions/argosy.fish"',
    '    zsh_completion.install "completions/_argosy"',
    '    man1.install "man/argosy.1"',
    "  end",
    "",
    "  test do",
    '    assert_match "argosy #{version}", shell_output("#{bin}/argosy version")',
    "  end",
    "end",
    "",
  ].join("\n");
}

const wingetId = "Argosy.Argosy";
const wingetSchema = "1.10.0";

/** Returns the manifests for winget's repository, by file name. */
export function wingetManifests(facts: PublishFacts): Record<string, string> {
  const { version, url, homepage, date, archives } = facts;
  const head = (type: string) => [
    `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${wingetSchema}.schema.json`,
    `PackageIdentifier: ${wingetId}`,
    `PackageVersion: "${version}"`,
  ];
  const foot = (type: string) => [`ManifestType: ${type}`, `ManifestVersion: ${wingetSchema}`, ""];
  const installers = ["x64", "arm64"].flatMap((arch) => {
    const name = `windows-${arch}`;
    const sum = archives[name];
    if (sum === undefined) return [];
    return [
      `  - Architecture: ${arch}`,
      "    NestedInstallerFiles:",
      `      - RelativeFilePath: argosy-${version}-${name}\\argosy.exe`,
      "        PortableCommandAlias: argosy",
      `    InstallerUrl: ${url}/${archiveName(version, { name })}`,
      `    InstallerSha256: "${sum.toUpperCase()}"`,
    ];
  });
  if (installers.length === 0) return {};
  return {
    [`${wingetId}.yaml`]: [...head("version"), "DefaultLocale: en-US", ...foot("version")].join("\n"),
    [`${wingetId}.installer.yaml`]: [
      ...head("installer"),
      "InstallerType: zip",
      "NestedInstallerType: portable",
      `ReleaseDate: ${date}`,
      "Installers:",
      ...installers,
      ...foot("installer"),
    ].join("\n"),
    [`${wingetId}.locale.en-US.yaml`]: [
      ...head("defaultLocale"),
      "PackageLocale: en-US",
      "Publisher: Argosy authors",
      "PackageName: Argosy",
      `PackageUrl: ${homepage}`,
      "License: Apache-2.0",
      "ShortDescription: Designs, runs, serves and bills AI agents from one executable",
      ...foot("defaultLocale"),
    ].join("\n"),
  };
}

/** Returns the list that `argosy upgrade` reads, and its signature in base64. */
export function signedList(list: ReleaseList, key: KeyObject): { json: string; signature: string } {
  const json = `${JSON.stringify(list, null, 2)}\n`;
  return { json, signature: `${sign(null, Buffer.from(json), key).toString("base64")}\n` };
}
