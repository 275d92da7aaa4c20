import { Group, PasswordInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { SideScroll } from "../../parts/layout/side-scroll.tsx";
import { notify } from "../../parts/notices.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { providerTexts as texts } from "../../texts/cloud/org.ts";
import { mayManage, type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";

export default orgPage(ProvidersPage);

interface ProviderRow {
  provider: string;
  needsKey: boolean;
  key?: { masked_key: string; added_at: string };
}

interface Asked {
  what: "save" | "remove";
  provider: string;
}

function ProvidersPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ["cloud", org.slug, "provider-rows"],
    async queryFn(): Promise<ProviderRow[]> {
      const [catalog, stored] = await Promise.all([cloud.catalog(org.slug), cloud.providers(org.slug)]);
      return catalog.providers.map(({ provider, needs_key }) => {
        const key = stored.providers.find((one) => one.provider === provider);
        return { provider, needsKey: needs_key, ...(key && { key }) };
      });
    },
  });
  const [asked, ask] = useState<Asked>();
  const isManager = mayManage(org);
  const close = () => ask(undefined);
  const changed = async (text: string) => {
    await queries.invalidateQueries({ queryKey: ["cloud", org.slug] });
    notify(text);
  };
  return (
    <>
      <PageHeader title={texts.title} lead={isManager ? texts.lead : `${texts.lead} ${texts.managersOnly}`} />
      <Loaded query={query} rows={5}>
        {(rows) => (
          <div className="ar-panel">
            <SideScroll>
              <PlainTable
                label={texts.title}
                columns={columnsFor(isManager ? ask : undefined)}
                rows={rows}
                keyOf={({ provider }) => provider}
              />
            </SideScroll>
          </div>
        )}
      </Loaded>
      {asked?.what === "save" && (
        <KeyDialog
          provider={asked.provider}
          close={close}
          save={async (key) => {
            await cloud.saveProvider(org.slug, { provider: asked.provider, api_key: key });
            await changed(texts.saved(asked.provider));
          }}
        />
      )}
      {asked?.what === "remove" && (
        <Confirm
          opened
          title={texts.removeTitle(asked.provider)}
          text={texts.removeText}
          action={texts.removeAction}
          onClose={close}
          onConfirm={async () => {
            await cloud.deleteProvider(org.slug, asked.provider);
            await changed(texts.removed(asked.provider));
          }}
        />
      )}
    </>
  );
}

interface KeyDialogProps {
  provider: string;
  save: (key: string) => Promise<void>;
  close: () => void;
}

function KeyDialog({ provider, save, close }: KeyDialogProps) {
  const [key, setKey] = useState("");
  return (
    <FormDialog
      title={texts.addTitle(provider)}
      action={texts.save}
      isComplete={key !== ""}
      close={close}
      send={() => save(key)}
    >
      <PasswordInput
        label={texts.apiKey}
        description={texts.apiKeyHint}
        required
        maxLength={1024}
        autoComplete="new-password"
        data-autofocus
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

const columnsFor = (ask: ((asked: Asked) => void) | undefined): PlainColumn<ProviderRow>[] => [
  { id: "provider", header: texts.provider, className: "ar-tn-strong", cell: ({ provider }) => provider },
  {
    id: "key",
    header: texts.key,
    cell: ({ key, needsKey }) =>
      key === undefined ? (
        <span className="ar-soft">{needsKey ? texts.none : texts.notNeeded}</span>
      ) : (
        <span className="ar-mono">{key.masked_key}</span>
      ),
  },
  {
    id: "added",
    header: texts.added,
    from: "md",
    cell: ({ key }) =>
      key === undefined ? <span className="ar-soft">–</span> : <Instant iso={key.added_at} />,
  },
  ...(ask === undefined
    ? []
    : [
        {
          id: "actions",
          header: texts.actions,
          hidesHeader: true as const,
          align: "end" as const,
          cell: ({ provider, needsKey, key }: ProviderRow) =>
            needsKey && (
              <Group gap={4} justify="flex-end">
                <RowButton
                  label={key === undefined ? texts.add : texts.replace}
                  title={`${key === undefined ? texts.add : texts.replace}: ${provider}`}
                  onClick={() => ask({ what: "save", provider })}
                />
                {key !== undefined && (
                  <RowButton
                    label={texts.remove}
                    title={texts.removeOf(provider)}
                    isDanger
                    onClick={() => ask({ what: "remove", provider })}
                  />
                )}
              </Group>
            ),
        },
      ]),
];
