import { createReadStream, createWriteStream, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, gzipSync } from "node:zlib";
import { completionScript } from "../../src/cli/operate/completion-script.ts";
import { manPage } from "../../src/cli/operate/install/man-page.ts";
import { createProgram } from "../../src/cli/program.ts";
import { changelog, copyright, lintianOverrides } from "./deb-texts.ts";
import { type Member, sizeOf, tarBytes, writeTarGz } from "./tar-file.ts";

export interface DebFacts {
  root: string;
  /** The executable of the package's architecture. */
  executable: string;
  architecture: "amd64" | "arm64";
  version: string;
  licenses: string;
  /** Who answers for the package: `Name <mail@example.org>`. */
  maintainer: string;
  /** The time of every file, in seconds, so that the same source gives the same package. */
  mtime: number;
}

/** Returns the name that Debian's tools expect of the file. */
export const debName = ({ version, architecture }: Pick<DebFacts, "version" | "architecture">): string =>
  `argosy_${version}_${architecture}.deb`;

/**
 * Writes a Debian package without Debian's tools: an ar archive of its format version, its control files and its data. The data are in gzip,
 * because Debian's rules refuse zstd, and every version of dpkg reads it.
 */
export async function writeDeb(path: string, facts: DebFacts): Promise<void> {
  const members = packageMembers(facts);
  const data = `${path}.data`;
  try {
    await writeTarGz(data, members, facts.mtime);
    const control = gzipSync(await tarBytes(await controlMembers(facts, members), facts.mtime));
    const archive = createWriteStream(path);
    const write = (name: string, sizeBytes: number) => archive.write(arHeader(name, sizeBytes, facts.mtime));
    archive.write("!<arch>\n");
    for (const [name, bytes] of [
      ["debian-binary", Buffer.from("2.0\n")],
      ["control.tar.gz", control],
    ] as const) {
      write(name, bytes.byteLength);
      archive.write(bytes);
      if (bytes.byteLength % 2 === 1) archive.write("\n");
    }
    const { size } = statSync(data);
    write("data.tar.gz", size);
    await pipeline(createReadStream(data), archive, { end: false });
    archive.end(size % 2 === 1 ? "\n" : "");
    await new Promise((resolve, reject) => archive.on("finish", resolve).on("error", reject));
  } finally {
    rmSync(data, { force: true });
  }
}

/** Header of a member in an ar archive: fixed columns, see deb(5). */
function arHeader(name: string, sizeBytes: number, mtime: number): string {
  return `${name.padEnd(16)}${String(mtime).padEnd(12)}0     0     100644  ${String(sizeBytes).padEnd(10)}\`\n`;
}

function packageMembers({ root, executable, version, licenses, maintainer, mtime }: DebFacts): Member[] {
  const program = createProgram(async () => {});
  const text = (path: string, content: string, mode = 0o644): Member => ({
    path,
    mode,
    content: Buffer.from(content.endsWith("\n") ? content : `${content}\n`),
  });
  const packed = (path: string, content: string): Member => ({
    path,
    mode: 0o644,
    content: gzipSync(content, { level: constants.Z_BEST_COMPRESSION }),
  });
  const unit = readFileSync(join(root, "deploy/argosy.service"), "utf8");
  return [
    text("etc/argosy/environment", environmentFile, 0o600),
    { path: "usr/bin/argosy", mode: 0o755, content: { file: executable } },
    text(
      "usr/lib/systemd/system/argosy.service",
      unit
        .replaceAll("/usr/local/bin/argosy", "/usr/bin/argosy")
        // Only here the page is certain to be installed.
        .replace("Description=Argosy\n", "Description=Argosy\nDocumentation=man:argosy(1)\n"),
    ),
    text("usr/share/bash-completion/completions/argosy", completionScript("bash", program)),
    packed("usr/share/doc/argosy/changelog.gz", changelog({ version, maintainer, mtime })),
    text("usr/share/doc/argosy/copyright", copyright),
    packed("usr/share/doc/argosy/licenses.txt.gz", licenses),
    text("usr/share/fish/vendor_completions.d/argosy.fish", completionScript("fish", program)),
    text("usr/share/lintian/overrides/argosy", lintianOverrides),
    packed("usr/share/man/man1/argosy.1.gz", manPage(program, version)),
    text("usr/share/zsh/vendor-completions/_argosy", completionScript("zsh", program)),
  ];
}

const environmentFile = `# Variables of the Argosy service, one NAME=value a line; then: systemctl restart argosy
#ARGOSY_HOST=0.0.0.0
#PLATFORM_API_TOKEN=
#OPENAI_API_KEY=
`;

async function controlMembers(facts: DebFacts, members: readonly Member[]): Promise<Member[]> {
  const sizeBytes = members.reduce((sum, { content }) => sum + sizeOf(content), 0);
  const control = `Package: argosy
Version: ${facts.version}
Architecture: ${facts.architecture}
Maintainer: ${facts.maintainer}
Installed-Size: ${Math.ceil(sizeBytes / 1024)}
Depends: init-system-helpers (>= 1.54), libc6 (>= 2.28), passwd
Section: net
Priority: optional
Description: designs, runs, serves and bills AI agents
 One executable with the agent daemon, the tenant platform, the messaging
 gateway, the managed cloud, the manifest translator and the web console.
`;
  const sums = await Promise.all(
    members.map(async ({ path, content }) => `${await md5(content)}  ${path}\n`),
  );
  const file = (path: string, text: string, mode = 0o644): Member => ({
    path,
    mode,
    content: Buffer.from(text),
  });
  return [
    file("conffiles", "/etc/argosy/environment\n"),
    file("control", control),
    file("md5sums", sums.join("")),
    file("postinst", afterInstall, 0o755),
    file("postrm", afterRemoval, 0o755),
    file("prerm", beforeRemoval, 0o755),
  ];
}

/** The service is not started by itself: it needs a workspace in /srv/argosy first. An upgrade restarts one that runs. */
const afterInstall = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if ! getent passwd argosy >/dev/null; then
    useradd --system --user-group --home-dir /var/lib/argosy --no-create-home --shell /usr/sbin/nologin argosy
  fi
  mkdir -p /srv/argosy /var/lib/argosy
  chown argosy:argosy /srv/argosy /var/lib/argosy
  chmod 0700 /var/lib/argosy
  deb-systemd-helper unmask argosy.service >/dev/null
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    [ -z "$2" ] || deb-systemd-invoke try-restart argosy.service
  fi
fi
`;

const beforeRemoval = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop argosy.service
fi
`;

/** Data and workspace stay also when the package is purged. */
const afterRemoval = `#!/bin/sh
set -e
if command -v deb-systemd-helper >/dev/null; then
  case "$1" in
    remove) deb-systemd-helper mask argosy.service >/dev/null ;;
    purge)
      deb-systemd-helper purge argosy.service >/dev/null
      deb-systemd-helper unmask argosy.service >/dev/null
      ;;
  esac
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
`;

async function md5(content: Member["content"]): Promise<string> {
  const hash = new Bun.CryptoHasher("md5");
  if ("file" in content) for await (const chunk of createReadStream(content.file)) hash.update(chunk);
  else hash.update(content);
  return hash.digest("hex");
}
