import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { AccountView, HeldResource } from "../../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { accountTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { useAccounts, useTranslator } from "../use-translator.ts";

/** The accounts, and the resources of an embedded one. */
export default function AccountsPage() {
  const query = useAccounts();
  const [chosen, choose] = useUrlState("account");
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <Loaded query={query} rows={3}>
        {({ accounts }) => {
          const shown = accounts.find(({ name }) => name === chosen) ?? accounts[0];
          return (
            <div className="ar-stack">
              <Panel title={texts.title} flush>
                <AccountTable accounts={accounts} choose={choose} />
              </Panel>
              {shown !== undefined && <HeldPanel account={shown} />}
            </div>
          );
        }}
      </Loaded>
    </>
  );
}

interface AccountTableProps {
  accounts: readonly AccountView[];
  choose: (name: string) => void;
}

const AccountTable = ({ accounts, choose }: AccountTableProps) => (
  <PlainTable
    label={texts.title}
    rows={accounts}
    keyOf={({ name }) => name}
    columns={[
      { id: "name", header: texts.account, className: "ar-tn-strong ar-break", cell: ({ name }) => name },
      { id: "provider", header: texts.provider, cell: ({ provider }) => provider },
      {
        id: "driver",
        header: texts.driver,
        from: "md",
        cell: ({ driver }) => texts.drivers[driver] ?? driver,
      },
      {
        id: "choose",
        header: texts.choose,
        hidesHeader: true,
        align: "end",
        cell: ({ name }) => (
          <RowButton label={texts.choose} title={texts.chooseOf(name)} onClick={() => choose(name)} />
        ),
      },
    ]}
  />
);

function HeldPanel({ account: { name, driver } }: { account: AccountView }) {
  const translator = useTranslator();
  const isEmbedded = driver === "embedded";
  const query = useQuery({
    queryKey: ["translator", "held", name],
    queryFn: () => translator.listHeld(name),
    enabled: isEmbedded,
  });
  return (
    <Panel title={texts.held(name)} flush={isEmbedded}>
      {isEmbedded ? (
        <Loaded query={query} rows={3}>
          {({ resources }) => <HeldTable resources={resources} />}
        </Loaded>
      ) : (
        <EmptyState text={texts.heldOnlyEmbedded} />
      )}
    </Panel>
  );
}

const HeldTable = ({ resources }: { resources: readonly HeldResource[] }) => (
  <PlainTable
    label={texts.resource}
    rows={resources}
    keyOf={({ id }) => id}
    empty={<EmptyState text={texts.noneHeld} />}
    columns={[
      {
        id: "resource",
        header: texts.resource,
        cell: ({ name, resource_type }) => (
          <>
            <span className="ar-tn-strong ar-break">{name}</span>
            <div className="ar-soft ar-mono ar-break">{resource_type}</div>
          </>
        ),
      },
      {
        id: "spec",
        header: texts.spec,
        cell: ({ spec }) => {
          const known = specKindOf(spec);
          if (known === undefined) return <span className="ar-break">{spec}</span>;
          return (
            <Anchor component={Link} href={translatorPaths.spec(known.kind, known.name)} className="ar-break">
              {known.name}
            </Anchor>
          );
        },
      },
      {
        id: "updated",
        header: texts.updated,
        from: "md",
        cell: ({ updated_at }) => <Instant iso={updated_at} />,
      },
    ]}
  />
);

/** Splits `<kind>/<name>`; undefined for any other text. */
function specKindOf(spec: string): SpecReference | undefined {
  const [kind, ...rest] = spec.split("/");
  const name = rest.join("/");
  return kind === "Agent" || kind === "RAGPipeline" ? { kind, name } : undefined;
}
