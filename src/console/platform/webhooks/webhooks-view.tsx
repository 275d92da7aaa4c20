import { Button, Checkbox, Stack, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  type NewWebhook,
  type NoticeDeliveryList,
  type NoticeEvent,
  noticeEvents,
  type Webhook,
  type WebhookInput,
  type WebhookList,
} from "../../../contracts/platform/notices.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { SecretDialog } from "../../parts/dialogs/secret-dialog.tsx";
import { SecretOnce } from "../../parts/dialogs/secret-once.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { noticeTexts as texts } from "../../texts/platform/notices.ts";
import { DeliveryLog } from "./delivery-log.tsx";

/** Calls for the webhooks of one owner: the installation, or a tenant. */
export interface HookCalls {
  list: () => Promise<WebhookList>;
  create: (input: WebhookInput) => Promise<NewWebhook>;
  remove: (id: string) => Promise<unknown>;
  deliveries: (id: string, page: { limit: number; cursor?: string }) => Promise<NoticeDeliveryList>;
}

interface WebhooksViewProps {
  lead: string;
  queryKey: readonly string[];
  calls: HookCalls;
  /** Events that a webhook may ask for. */
  events?: readonly NoticeEvent[];
  mayChange: boolean;
  /** True if the deliveries are about several tenants. */
  ofTenants: boolean;
  note?: React.ReactNode;
}

/** Webhooks for notices, and the log of one of them. */
export function WebhooksView(props: WebhooksViewProps) {
  const [chosen, choose] = useUrlState("webhook");
  const { lead, queryKey, calls, mayChange, note } = props;
  const query = useQuery({ queryKey: [...queryKey], queryFn: calls.list });
  const [isAdding, setAdding] = useState(false);
  const [leaving, remove] = useState<Webhook>();
  const queries = useQueryClient();
  const changed = () => queries.invalidateQueries({ queryKey: [...queryKey] });
  if (chosen !== "") {
    const hook = query.data?.webhooks.find(({ id }) => id === chosen);
    return <DeliveryLog {...props} id={chosen} url={hook?.url ?? chosen} back={() => choose("")} />;
  }
  const add = mayChange && <Button onClick={() => setAdding(true)}>{texts.add}</Button>;
  return (
    <>
      <PageHeader title={texts.title} lead={lead}>
        {add}
      </PageHeader>
      {note}
      <Loaded query={query} rows={3}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <EmptyState text={texts.none} />
          ) : (
            <Panel title={texts.title} flush>
              <PlainTable
                label={texts.title}
                columns={columnsWith(choose, mayChange ? remove : undefined)}
                rows={webhooks}
                keyOf={({ id }) => id}
              />
            </Panel>
          )
        }
      </Loaded>
      {isAdding && (
        <HookDialog
          create={calls.create}
          events={props.events ?? noticeEvents}
          made={changed}
          close={() => setAdding(false)}
        />
      )}
      {leaving !== undefined && (
        <Confirm
          opened
          title={texts.removeTitle}
          text={texts.removeText(leaving.url)}
          action={texts.remove}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await calls.remove(leaving.id);
            await changed();
            notify(texts.removed);
          }}
        />
      )}
    </>
  );
}

const columnsWith = (
  open: (id: string) => void,
  remove: ((hook: Webhook) => void) | undefined,
): readonly PlainColumn<Webhook>[] => [
  { id: "url", header: texts.url, className: "ar-break", cell: ({ url }) => url },
  {
    id: "events",
    header: texts.events,
    from: "sm",
    cell: ({ events }) => events.map((event) => texts.event[event]).join(", "),
  },
  { id: "created", header: texts.created, from: "md", cell: ({ created_at }) => formatInstant(created_at) },
  {
    id: "actions",
    header: texts.log,
    hidesHeader: true,
    align: "end",
    cell: (hook) => (
      <>
        <RowButton label={texts.log} title={texts.logOf(hook.url)} onClick={() => open(hook.id)} />
        {remove && (
          <RowButton
            label={texts.remove}
            title={`${texts.remove}: ${hook.url}`}
            onClick={() => remove(hook)}
          />
        )}
      </>
    ),
  },
];

interface HookDialogProps {
  create: HookCalls["create"];
  events: readonly NoticeEvent[];
  made: () => void;
  close: () => void;
}

function HookDialog({ create, events, made, close }: HookDialogProps) {
  const [url, setUrl] = useState("");
  const [chosen, choose] = useState<readonly NoticeEvent[]>(events);
  return (
    <SecretDialog<NewWebhook>
      title={(hook) => texts.addTitle(hook?.url)}
      action={texts.add}
      isComplete={url.trim() !== "" && chosen.length > 0}
      create={() => create({ url: url.trim(), events: [...chosen] })}
      created={made}
      close={close}
      shown={({ secret }) => <SecretOnce texts={texts.secret} secret={secret} close={close} />}
    >
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        required
        maxLength={2048}
        data-autofocus
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <Checkbox.Group
        label={texts.events}
        value={[...chosen]}
        onChange={(names) => choose(events.filter((name) => names.includes(name)))}
      >
        <Stack gap={6} mt={4}>
          {events.map((name) => (
            <Checkbox key={name} value={name} label={texts.event[name]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </SecretDialog>
  );
}
