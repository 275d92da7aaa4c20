import { lchownSync, statSync } from "node:fs";

/**
 * Gives what root created in a data folder to the folder's owner, so that a service that runs as that user can go on using it. Does nothing
 * for other users, whose files are their own. A link itself changes hands, not what it leads to.
 */
export function giveToOwner(folder: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid !== 0) lchownSync(path, uid, gid);
}
