import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { AccountWebhook } from "../../../contracts/gateway/directory.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { accountTexts as texts } from "../../texts/gateway/accounts.ts";
import { partTexts } from "../../texts/parts.ts";
import { useGateway } from "../use-gateway.ts";
import { WebchatSitePanel } from "./webchat-site.tsx";

/** The address and token to enter at the provider. */
export function AccountWebhookPanel({ account }: { account: Account }) {
  const { id, channel, emulated } = account;
  return (
    <Panel title={channel === "webchat" ? texts.website : texts.webhook}>
      {channel === "webchat" ? (
        <WebchatSitePanel name={account.external_id} />
      ) : emulated ? (
        <Text className="ar-soft">{texts.emulatedWebhook}</Text>
      ) : (
        <WebhookFacts id={id} isBot={channel === "bot_messenger"} />
      )}
    </Panel>
  );
}

function WebhookFacts({ id, isBot }: { id: string; isBot: boolean }) {
  const gateway = useGateway();
  const query = useQuery({
    queryKey: ["gateway", "webhook", id],
    queryFn: () => gateway.accountWebhook(id),
  });
  return (
    <Loaded query={query} rows={2}>
      {(webhook) => (
        <div className="ar-stack">
          <Text className="ar-soft">{isBot ? texts.registeredBot : texts.webhookHint}</Text>
          <CopyLine label={texts.webhookUrl} value={webhook.url ?? webhook.path} />
          {webhook.url === null && <Text className="ar-soft">{texts.noBaseUrl}</Text>}
          {!isBot && <TokenLine {...webhook} />}
        </div>
      )}
    </Loaded>
  );
}

const TokenLine = ({ verify_token: token }: Pick<AccountWebhook, "verify_token">) =>
  token === null ? (
    <div>
      <div className="ar-gw-label">{texts.verifyToken}</div>
      <span className="ar-soft">{texts.noVerifyToken}</span>
    </div>
  ) : (
    <CopyLine label={texts.verifyToken} value={token} />
  );

function CopyLine({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <div className="ar-gw-label">{label}</div>
      <div className="ar-gw-copy">
        <code className="ar-mono ar-break">{value}</code>
        <CopyButton value={value} label={`${partTexts.copy}: ${label}`} />
      </div>
    </div>
  );
}
