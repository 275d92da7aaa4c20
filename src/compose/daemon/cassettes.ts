import { join } from "node:path";
import type { Worker } from "../../kit/worker.ts";
import { openCassetteFolder } from "../../services/daemon/cassettes/cassette-folder.ts";
import {
  CassetteRetention,
  cassetteLimitsDefault,
} from "../../services/daemon/cassettes/cassette-retention.ts";
import {
  type CassetteReplayerOptions,
  createReplayer,
} from "../../services/daemon/cassettes/replay/create-replayer.ts";
import { createReplayProcess } from "../../services/daemon/cassettes/replay/replay-process.ts";
import type { CassettePorts } from "../../services/daemon/cassettes/replay-cassette.ts";
import type { CassetteTables } from "../../services/daemon/cassettes/schema.ts";
import { sharedCassettes } from "../../services/daemon/cassettes/shared-cassettes.ts";
import type { Storage } from "../../storage/storage.ts";
import { childCommand } from "../child-command.ts";
import type { Foundation } from "../foundation.ts";

/** Sets up the daemon's cassettes, in its data folder or in a database that nodes share, and the workers that enforce their limits. */
export function assembleCassettes(
  { config, folder, clock, log }: Pick<Foundation, "config" | "folder" | "clock" | "log">,
  storage: Storage<CassetteTables>,
  options: Pick<CassetteReplayerOptions, "templates" | "runs" | "routerFor">,
): CassettePorts & { workers: readonly Worker[]; close: () => void } {
  const path = join(folder.path, "cassettes");
  const retention = new CassetteRetention(path, cassetteLimitsDefault, clock, log);
  const kept = (bytes: number) => retention.added(bytes);
  const own = openCassetteFolder(path, kept);
  const limits = cassetteLimitsDefault;
  const copies = openCassetteFolder(join(path, "copies"), kept);
  const shared =
    storage.dialect === "postgres" ? sharedCassettes({ storage, own, copies, limits, clock }) : undefined;
  const cassettes = shared ?? own;
  const offline = createReplayProcess(childCommand("replay-child"), clock);
  const maskKnown = (text: string) => config.knownSecrets.mask(text);
  return {
    folder: cassettes,
    ...createReplayer({
      ...options,
      offline,
      folder: cassettes,
      maskKnown,
      recordsContent: config.observability.record,
    }),
    maskKnown,
    workers: [retention.worker(), ...(shared === undefined ? [] : [shared.worker])],
    close: offline.close,
  };
}
