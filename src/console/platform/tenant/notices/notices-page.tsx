import { noticeEvents } from "../../../../contracts/platform/notices.ts";
import { noticeTexts as texts } from "../../../texts/platform/notices.ts";
import { usePlatform } from "../../use-platform.ts";
import { WebhooksView } from "../../webhooks/webhooks-view.tsx";
import { RightNote, useRights } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";

export default tenantPage(NoticesPage);

/** Missing tariffs concern the operator alone. */
const events = noticeEvents.filter((event) => event !== "model.unpriced");

/** The tenant's own webhooks. */
function NoticesPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const may = useRights();
  return (
    <WebhooksView
      lead={texts.tenantLead(tenant.displayName)}
      queryKey={["platform", tenant.id, "webhooks"]}
      calls={{
        list: platform.listOwnWebhooks,
        create: platform.createOwnWebhook,
        remove: platform.deleteOwnWebhook,
        deliveries: platform.listOwnDeliveries,
      }}
      events={events}
      mayChange={may("webhooks")}
      ofTenants={false}
      note={<RightNote right="webhooks" />}
    />
  );
}
