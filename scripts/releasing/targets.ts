import { lancePackage } from "../building/lance-package.ts";

/** One system that executables are built for. */
export interface ReleaseTarget {
  /** As in file names: `linux-x64-musl`. */
  name: string;
  /** Bun's name of the compiler target. */
  compile: `bun-${string}`;
  /** The npm package with Bun's runtime for it. */
  runtime: string;
  /** The npm package with LanceDB's addon for it; undefined if LanceDB has none. */
  addon: string | undefined;
  /** Debian's name of the architecture, if there is a .deb. */
  debian: "amd64" | "arm64" | undefined;
}

const names = [
  "linux-x64",
  "linux-x64-musl",
  "linux-arm64",
  "linux-arm64-musl",
  "darwin-arm64",
  "darwin-x64",
  "windows-x64",
  "windows-arm64",
] as const;

export const releaseTargets: readonly ReleaseTarget[] = names.map((name) => {
  const compile = `bun-${name}` as const;
  return {
    name,
    compile,
    runtime: `@oven/bun-${name.replace("arm64", "aarch64")}`,
    addon: lancePackage(compile),
    debian: name === "linux-x64" ? "amd64" : name === "linux-arm64" ? "arm64" : undefined,
  };
});

/** Returns the targets of these names, all without names. Throws if a name is unknown. */
export function chooseTargets(chosen: readonly string[]): readonly ReleaseTarget[] {
  if (chosen.length === 0) return releaseTargets;
  return chosen.map((name) => {
    const found = releaseTargets.find((target) => target.name === name.replace(/^bun-/, ""));
    if (found === undefined) throw new Error(`There is no target ${name}. Choose from ${names.join(", ")}.`);
    return found;
  });
}

/** Returns the name of a target's executable. */
export function executableName(version: string, { name }: Pick<ReleaseTarget, "name">): string {
  return `argosy-${version}-${name}${name.startsWith("windows") ? ".exe" : ""}`;
}
