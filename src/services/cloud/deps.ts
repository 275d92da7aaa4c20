import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import type { KeyUses } from "../../control-plane/keys/key-uses.ts";
import type { AccessTokens } from "../../storage/access-tokens.ts";
import type { CloudAgentDeps } from "./agents/deps.ts";
import type { CloudAuthDeps } from "./auth/deps.ts";
import type { CloudEvalDeps } from "./evals/deps.ts";
import type { CloudRunDeps } from "./runs/deps.ts";

/** Dependencies of the whole cloud service. Each folder takes its own part. */
export interface CloudDeps extends CloudAuthDeps, CloudAgentDeps, CloudRunDeps, CloudEvalDeps {
  version: string;
  tokens: AccessTokens;
  keyUses: KeyUses;
  runtime: RuntimeClient;
}
