/** Keys of the labels and tags that mark resources as Argosy's. Labels of manifests with these names aren't sent. */
export const ownerKeys: ReadonlySet<string> = new Set(["managed-by", "spec", "part", "config-sha256"]);
