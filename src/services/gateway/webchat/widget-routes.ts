import { Elysia } from "elysia";
import { callContext } from "../../../http/route-plugins.ts";
import { type StaticAsset, staticAsset } from "../../../http/static-asset.ts";

/** The widget's script, ready to be sent. */
export interface WidgetScript {
  read(): Promise<{ encoding: "br" | "identity"; bytes: Uint8Array<ArrayBuffer> }>;
}

/** Pages may keep it for an hour, and then ask by its ETag whether it has changed. Any page may load it: it holds no data. */
const headers = {
  "cache-control": "public, max-age=3600, must-revalidate",
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

/** The script that a page embeds for the chat. */
export function widgetRoutes(script: WidgetScript) {
  let known: Promise<StaticAsset> | undefined;
  const load = () => {
    known ??= script.read().then((file) => staticAsset({ type: "text/javascript; charset=utf-8", ...file }));
    // A script that could not be built is built again at the next request.
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
  return new Elysia({ prefix: "/webchat" })
    .use(callContext())
    .get("/widget.js", async ({ request }) => (await load()).answer(request, headers), {
      detail: { hide: true },
    });
}
