import { type ManifestNaming, manifestFiles } from "../manifests/manifest-files.ts";

/** How agent files are known. */
export const agentNaming: ManifestNaming = {
  what: "agents",
  ending: /\.agent\.ya?ml$/,
  newEnding: ".agent.yaml",
};

/** Paths of the agent files of a folder; see `manifestFiles`. */
export const agentFiles = (folder: string): string[] => manifestFiles(folder, agentNaming);
