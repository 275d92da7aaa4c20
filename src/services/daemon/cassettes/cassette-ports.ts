import type { Cassette } from "../../../contracts/daemon/cassette-file.ts";
import type { ReplayAnswer, ReplayRequest } from "../../../contracts/daemon/cassettes.ts";
import type { Sender } from "../../../manifest/sender.ts";
import type { CassetteFolder } from "./cassette-folder.ts";

/** Plays a cassette, or forks it, for a tenant. */
export type ReplayCassette = (
  cassette: Cassette,
  request: ReplayRequest,
  by: { tenant: string; sender: Sender; signal: AbortSignal },
) => Promise<ReplayAnswer>;

/** What routes need to record runs and to play them. */
export interface CassettePorts {
  folder: CassetteFolder;
  replay: ReplayCassette;
  /** Takes the secrets that the process knows out of a text. */
  maskKnown: (text: string) => string;
}
