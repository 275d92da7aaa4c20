import type { Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../agent/agent.ts";
import { agentKeys } from "./agent-keys.ts";
import { policyProblems } from "./key-policy.ts";
import type { TenantTerms } from "./policy-terms.ts";

/**
 * Returns the parts of a tenant's manifest that would reach the operator's machine, keys, databases or private network, or another tenant,
 * by the rules of `agent-keys.ts`. The manifest was read without variables, and every name in it resolves inside the tenant.
 */
export const tenantProblems = (manifest: AgentManifest, terms: TenantTerms): Problem[] =>
  policyProblems(agentKeys, manifest, { sender: "tenant", terms });
