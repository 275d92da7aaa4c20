import { type StaticAsset, staticAsset } from "../../../http/static-asset.ts";
import type { BundleSource, ConsoleBundle } from "./console-bundle.ts";

/** The file names change with their contents. */
const headers = {
  "cache-control": "public, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin",
};

/** Answers GET and HEAD requests for `/console/assets/…`; undefined if there is no such file. */
export function createAssetAnswers(bundles: BundleSource) {
  let known: { bundle: ConsoleBundle; assets: ReadonlyMap<string, StaticAsset> } | undefined;
  return async (request: Request, path: string): Promise<Response | undefined> => {
    const bundle = await bundles.current();
    if (known?.bundle !== bundle) {
      known = { bundle, assets: new Map(bundle.files.map((file) => [file.path, staticAsset(file)])) };
    }
    return known.assets.get(path)?.answer(request, headers);
  };
}
