import type { Cassette } from "../../../contracts/daemon/cassette-file.ts";
import type { ReplayAnswer, ReplayRequest } from "../../../contracts/daemon/cassettes.ts";
import type { Sender } from "../../../manifest/sender.ts";
import type { CassetteFolder } from "./cassette-folder.ts";

export interface ReplayCaller {
  tenant: string;
  sender: Sender;
  /** Aborts when the caller leaves. */
  signal: AbortSignal;
}

/** Dependencies of the routes that record and replay runs. */
export interface CassettePorts {
  folder: CassetteFolder;
  /** Replays a cassette, which is not validated yet, or a file with one. */
  replay: (
    source: { cassette: unknown } | { path: string },
    request: ReplayRequest,
    by: ReplayCaller,
  ) => Promise<ReplayAnswer>;
  /** Forks a validated cassette. */
  fork: (cassette: Cassette, request: ReplayRequest, by: ReplayCaller) => Promise<ReplayAnswer>;
  /** Masks the secrets known to the process in a text. */
  maskKnown: (text: string) => string;
}
