import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import type { KeyUses } from "../../control-plane/keys/key-uses.ts";
import type { AccessTokens } from "../../storage/access-tokens.ts";
import type { AgentDeps } from "./agents/deps.ts";
import type { AuthDeps } from "./auth/deps.ts";
import type { EvalDeps } from "./evals/deps.ts";
import type { RunDeps } from "./runs/deps.ts";

/** Dependencies of the whole cloud service. Each folder takes its own part. */
export interface CloudDeps extends AuthDeps, AgentDeps, RunDeps, EvalDeps {
  version: string;
  tokens: AccessTokens;
  keyUses: KeyUses;
  runtime: RuntimeClient;
}
