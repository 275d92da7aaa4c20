import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Random } from "../../kit/retry.ts";
import type { Sealer } from "../../storage/sealing/seal.ts";
import type { Storage } from "../../storage/storage.ts";
import type { AccessTokens } from "./auth/access-tokens.ts";
import type { Passwords } from "./auth/passwords.ts";
import type { SlowLanes } from "./auth/slow-lanes.ts";
import type { MessageSender } from "./messages/message-sender.ts";
import type { PlatformMetrics } from "./metrics/platform-metrics.ts";
import type { PlatformSettings } from "./platform-settings.ts";
import type { UnsettledRuns } from "./runs/unsettled-runs.ts";
import type { PlatformTables } from "./tables.ts";
import type { KeyUses } from "./tenants/key-uses.ts";

/** Dependencies of the platform's routes. */
export interface PlatformDeps {
  version: string;
  clock: Clock;
  newId: NewId;
  random: Random;
  log: Logger;
  storage: Storage<PlatformTables>;
  tokens: AccessTokens;
  passwords: Passwords;
  /** Queues for sign-ins after many failures. */
  signInLanes: SlowLanes;
  /** Seals connections and stored answers; undefined if no keys are configured. */
  sealer: Sealer | undefined;
  /** `PLATFORM_OPERATOR_TOKEN`; if undefined, only people can be operators. */
  operatorToken: string | undefined;
  /** Last uses of keys, written with a delay. */
  keyUses: KeyUses;
  runtime: RuntimeClient;
  /** Undefined without a gateway; the message routes are then omitted. */
  messages: MessageSender | undefined;
  settings: PlatformSettings;
  metrics: PlatformMetrics;
  /** The ends of runs that are still to be written. */
  unsettled: UnsettledRuns;
  /** Names this process among those that share the database. */
  owner: string;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  /** Registers work that continues after its answer, so the process waits for it at the stop. */
  outlives: (work: Promise<unknown>) => void;
}
