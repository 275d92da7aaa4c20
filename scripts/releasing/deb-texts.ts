/** Debian's list of changes: one entry, because the changes of each version are in the repository. */
export function changelog({
  version,
  maintainer,
  mtime,
}: {
  version: string;
  maintainer: string;
  mtime: number;
}): string {
  const date = new Date(mtime * 1000).toUTCString().replace("GMT", "+0000");
  return `argosy (${version}) stable; urgency=medium\n\n  * Release ${version}.\n\n -- ${maintainer}  ${date}\n`;
}

/** Debian wants its own copies of common licences to be named; the texts of all packages are in licenses.txt.gz beside it. */
export const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: argosy
Comment: The executable contains software under other licences. Their list and texts are in
 /usr/share/doc/argosy/licenses.txt.gz, and \`argosy licenses\` prints them.

Files: *
Copyright: 2026 Argosy authors
License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.
`;

/** What Debian's checker finds and what stays, each with its reason. */
export const lintianOverrides = `# The runtime is that of the Bun project: linked statically, at a fixed address.
argosy: embedded-library *
argosy: hardening-no-pie *
argosy: hardening-no-relro *
argosy: hardening-no-bindnow *
argosy: spelling-error-in-binary *
# The program is data in a section of its own, which strip would damage.
argosy: unstripped-binary-or-object *
# Secrets are in it.
argosy: non-standard-file-perm 0600 != 0644 *
# Without systemd, \`argosy serve\` is started by whatever there is.
argosy: package-supports-alternative-init-but-no-init.d-script *
`;
