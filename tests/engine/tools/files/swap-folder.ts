/* Swaps a folder for a link to another, and back, as fast as possible until it is killed. */
import { renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";

const [, , folder = "", target = ""] = process.argv;
const aside = `${folder}.aside`;
process.stdout.write("\n");
for (;;) {
  renameSync(folder, aside);
  put(() => symlinkSync(target, folder));
  unlinkSync(folder);
  put(() => renameSync(aside, folder));
}

/** A writer may have created the folder again meanwhile. */
function put(place: () => void): void {
  for (;;) {
    try {
      place();
      return;
    } catch {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
