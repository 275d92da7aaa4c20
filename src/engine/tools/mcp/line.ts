import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { GuardedNetwork } from "../network/guarded-network.ts";
import type { WatchedTransport } from "./watched-transport.ts";

/** Dependencies for connecting to servers. */
export interface LinePorts {
  clock: Clock;
  log: Logger;
  network: Pick<GuardedNetwork, "fetch">;
  /** Command with which this program starts itself as the supervisor of a server. */
  supervisor: readonly string[];
  /** Returns the reason why no server program may be started now; undefined if they may. */
  refusal: () => string | undefined;
  /** Working directory of servers. */
  folder: string;
  /** Folders in which their commands are searched; the only part of this process's environment that they get. */
  path: string;
}

/** A connection to one server, from its opening to its loss. */
export interface Line {
  transport: WatchedTransport;
  /** Reason for the loss, for the operator; undefined while connected or if it was closed here. */
  lostBy(): string | undefined;
  /** Handles an error that the SDK reported; once the line is `inUse`, it may mean that the connection is lost. */
  noticed(error: Error, inUse: boolean): void;
  /** Tells the server that no more calls will follow. */
  sayGoodbye(): Promise<void>;
  close(): Promise<void>;
}
