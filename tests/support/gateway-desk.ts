import type { BindingConfigInput } from "../../src/contracts/gateway/bindings.ts";
import { gatewayAdminClient } from "../../src/contracts/gateway/client.ts";
import type { MemberRole } from "../../src/contracts/platform/members.ts";
import { adminToken, memberOf, processAll, startGateway } from "./gateway.ts";
import type { TestEngine } from "./storage-engines.ts";

/** A gateway whose emulated account of tenant a is answered by `support`. */
export async function startDesk(engine: TestEngine, config: BindingConfigInput = {}) {
  const gateway = await startGateway(engine);
  const address = { fetch: (request: Request) => fetch(request), baseUrl: gateway.url };
  const as = (person?: string) => gatewayAdminClient(address, adminToken, person);
  /** A member of a tenant with a session of the platform. */
  const memberAs = (tenantId: string, role: MemberRole, name: string) => {
    gateway.members.set(`token-of-${name}`, memberOf(tenantId, role, name));
    return gatewayAdminClient(address, { accessToken: `token-of-${name}`, tenantId });
  };
  const client = as();
  const account = await client.saveAccount({
    tenant_id: "a",
    channel: "phone_messenger",
    external_id: "PN1",
    credentials: { access_token: "EAAG-access-token-7890" },
    emulated: true,
  });
  const binding = await client.createBinding({
    tenant_id: "a",
    account_id: account.id,
    entry_agent: "support",
    config: { platform_api_key: "apk_test-key-0001", ...config },
  });
  const write = async (desde: string, texto: string) => {
    await client.emulateInbound({ cuenta: "PN1", desde, texto });
    await processAll(gateway);
  };
  const only = async () => {
    const [one] = (await client.listConversations()).conversations;
    if (one === undefined) throw new Error("There is no conversation.");
    return one;
  };
  return { gateway, client, as, memberAs, write, only, binding, account };
}
