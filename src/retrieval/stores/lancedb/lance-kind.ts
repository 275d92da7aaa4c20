import { join } from "node:path";
import { refuseSettings, type VectorStoreKind } from "../store-kind.ts";

/** Name of the folder for vectors inside the data folder. */
const folderName = "vectors";

export const lanceKind: VectorStoreKind = {
  name: "lancedb",
  description:
    "Built in: a folder of the data folder, or an object store when `url` is `s3://…`, `gs://…` or `az://…` (keys by that store's own variables).",
  problems(settings) {
    const { url } = settings;
    const refused = refuseSettings(settings, ["api_key_env", "dsn"]);
    if (url === undefined || /^(s3|gs|az):\/\/[^/\s]+/.test(url)) return refused;
    const message =
      "must be an object store's (s3://…, gs://…, az://…) for lancedb; for a server, name its backend as well";
    return [...refused, { path: "url", message }];
  },
  async build({ url }, { dataFolder, clock, log, ownerOf, loadLance: load }) {
    const { createLanceStore } = await import("./lance-store.ts");
    return createLanceStore({ place: url ?? join(dataFolder, folderName), load, clock, log, ownerOf });
  },
};
