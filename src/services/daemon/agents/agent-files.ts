import { type ManifestNaming, manifestFiles } from "../manifests/manifest-files.ts";

/** Naming rules for agent files. */
export const agentNaming: ManifestNaming = {
  what: "agents",
  ending: /\.agent\.ya?ml$/,
  newEnding: ".agent.yaml",
};

/** Paths of the agent files in a folder; see `manifestFiles`. */
export const agentFiles = (folder: string): string[] => manifestFiles(folder, agentNaming);
