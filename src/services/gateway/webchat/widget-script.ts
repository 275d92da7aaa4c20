import { join } from "node:path";
import { AppError } from "../../../kit/app-error.ts";
import type { WidgetScript } from "./widget-routes.ts";

/*
 * For programs that run from source. In the executable, `scripts/building/embedded-widget.ts` replaces this module with one that reads a
 * script built beforehand.
 */

const root = join(import.meta.dir, "../../../..");

/** The widget of this source tree, built at the first request by a separate process. */
export const openWidget = (): WidgetScript => ({
  async read() {
    const child = Bun.spawn([process.execPath, join(root, "scripts/building/widget.ts")], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [bytes, told, status] = await Promise.all([
      new Response(child.stdout).bytes(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (status === 0) return { encoding: "identity", bytes };
    throw new AppError("unavailable", "widget_not_built", `The widget can't be built:\n\n${told.trim()}\n`, {
      details: { hint: "Fix that and load the page again." },
    });
  },
});
