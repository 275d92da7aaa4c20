import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { ReplayAnswer, ReplayRequest } from "../../../contracts/daemon/cassettes/cassettes.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { CassetteFolder } from "./cassette-folder.ts";

/** Replays a cassette, or forks it, for a tenant. */
export type ReplayCassette = (
  cassette: Cassette,
  request: ReplayRequest,
  by: { tenant: string; sender: Sender; signal: AbortSignal },
) => Promise<ReplayAnswer>;

/** Dependencies of the routes that record and replay runs. */
export interface CassettePorts {
  folder: CassetteFolder;
  replay: ReplayCassette;
  /** Masks the secrets known to the process in a text. */
  maskKnown: (text: string) => string;
}
