import type { NoticeEvent } from "../../../contracts/platform/notices.ts";
import { isolated } from "../isolated.ts";

/** Texts for webhooks and e-mails that get notices. */
export const noticeTexts = {
  title: "Notices",
  operatorLead:
    "Webhooks and e-mail addresses that get notices about all tenants. Failed notices are tried again for 24 hours.",
  tenantLead: (tenant: string) =>
    `Webhooks and e-mail addresses that get notices about ${isolated(tenant)}. Failed notices are tried again for 24 hours.`,
  add: "Add webhook",
  addTitle: (url: string | undefined): string => (url === undefined ? "Add webhook" : "Webhook added"),
  none: "No webhooks yet. Add one to hear of used-up credits, refused runs and closed months.",
  url: "Address",
  urlHint: "https:// for a signed POST, or mailto:name@example.org if this installation has a mail server.",
  events: "Notices",
  event: {
    "credits.80": "80 % of the credits are used",
    "credits.100": "All credits are used",
    "run.refused": "A run was refused",
    "period.closed": "A billing period was closed",
    "subscription.ending": "A subscription ends",
    "model.unpriced": "A model without a tariff was used",
    "storage.80": "80 % of the storage is used",
    "agent.alert": "Many runs of an agent fail",
    "desk.needs_person": "A conversation needs a person",
    "desk.message": "A new message in an assigned conversation",
    "desk.mention": "A note mentions a person",
  } satisfies Record<NoticeEvent, string>,
  created: "Created",
  remove: "Delete",
  removeTitle: "Delete this webhook?",
  removeText: (url: string) => `${url} gets no more notices. Its waiting notices are lost.`,
  removed: "Webhook deleted.",
  log: "Deliveries",
  logOf: (url: string) => `Deliveries to ${url}`,
  logNone: "No notices yet.",
  back: "All webhooks",
  at: "Time",
  tenant: "Tenant",
  text: "Notice",
  status: "Status",
  statuses: { pending: "Waiting", sending: "Sending", sent: "Sent", failed: "Failed" },
  attempts: (count: number) => (count === 1 ? "1 failed try" : `${count} failed tries`),
  retry: "Next try",
  secret: {
    onceTitle: "Copy the secret now",
    once: "It is shown only once.",
    secret: "Secret",
    copy: "Copy secret",
    how: "Each POST has the header X-Gateway-Signature-256: sha256= and the HMAC-SHA-256 of the body with this secret, in hex. An e-mail has no signature.",
    kept: "Done",
  },
};
