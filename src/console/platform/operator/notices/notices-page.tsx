import { noticeTexts as texts } from "../../../texts/platform/notices.ts";
import { usePlatform } from "../../use-platform.ts";
import { WebhooksView } from "../../webhooks/webhooks-view.tsx";

/** Webhooks of the installation, for notices of all tenants. */
export default function NoticesPage() {
  const platform = usePlatform();
  return (
    <WebhooksView
      lead={texts.operatorLead}
      queryKey={["platform", "admin", "webhooks"]}
      calls={{
        list: platform.listWebhooks,
        create: platform.createWebhook,
        remove: platform.deleteWebhook,
        deliveries: platform.listDeliveries,
      }}
      mayChange
      ofTenants
    />
  );
}
