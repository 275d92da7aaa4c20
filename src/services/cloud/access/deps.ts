import type { AccessTokens } from "../../../storage/access-tokens.ts";
import type { CloudStoreDeps } from "../tables.ts";
import type { ChangeLimit } from "./change-limit.ts";
import type { Plans } from "./plans.ts";

/** Dependencies of routes that check a credential. */
export interface AccessDeps extends CloudStoreDeps {
  tokens: Pick<AccessTokens, "verify">;
  /** Last uses of keys, written with a delay. */
  keyUses: { note(hash: string): void };
  plans: Plans;
  changes: ChangeLimit;
}
