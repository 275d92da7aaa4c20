import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Random } from "../../kit/retry.ts";
import type { Sealer } from "../../storage/seal.ts";
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

/** Everything the platform's routes may touch. */
export interface PlatformDeps {
  version: string;
  clock: Clock;
  newId: NewId;
  random: Random;
  log: Logger;
  storage: Storage<PlatformTables>;
  tokens: AccessTokens;
  passwords: Passwords;
  /** Where sign-ins wait after many failures. */
  signInLanes: SlowLanes;
  /** Of connections and of answers that are kept; undefined: no keys are configured. */
  sealer: Sealer | undefined;
  /** `PLATFORM_OPERATOR_TOKEN`; undefined: only people are operators. */
  operatorToken: string | undefined;
  /** When keys were used, written some time later. */
  keyUses: KeyUses;
  runtime: RuntimeClient;
  /** Undefined without a gateway: then there are no routes for messages. */
  messages: MessageSender | undefined;
  settings: PlatformSettings;
  metrics: PlatformMetrics;
  /** The ends of runs that are still to be written. */
  unsettled: UnsettledRuns;
  /** Names this process among those that share the database. */
  owner: string;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  /** Takes note of work that goes on after its answer: the process's stop waits for it. */
  outlives: (work: Promise<unknown>) => void;
}
