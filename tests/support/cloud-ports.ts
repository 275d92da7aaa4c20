import { newId } from "../../src/kit/id.ts";
import { SecretRegistry } from "../../src/kit/secrets/secret-registry.ts";
import type { CloudPorts } from "../../src/services/translator/accounts/cloud-call.ts";
import { HastyClock } from "./hasty-clock.ts";
import { testNetwork } from "./test-network.ts";

/** Ports of a cloud's driver: the real guarded network, and a clock without delays. */
export function cloudPorts(): CloudPorts & { clock: HastyClock; secrets: SecretRegistry } {
  const clock = new HastyClock();
  return { network: testNetwork({ clock }), clock, random: () => 0.5, newId, secrets: new SecretRegistry() };
}
