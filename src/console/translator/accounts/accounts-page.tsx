import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { AccountView, HeldResource } from "../../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { CursorTable } from "../../parts/tables/cursor-table.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
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
  return (
    <Panel title={texts.held(name)} flush={isEmbedded}>
      {isEmbedded ? (
        <CursorTable
          label={texts.resource}
          columns={heldColumns}
          queryKey={["translator", "held", name]}
          read={(page) => translator.listHeld(name, page)}
          rowsOf={({ resources }) => resources}
          keyOf={({ id }) => id}
          empty={<EmptyState text={texts.noneHeld} />}
        />
      ) : (
        <EmptyState text={texts.heldOnlyEmbedded} />
      )}
    </Panel>
  );
}

const heldColumns: readonly Column<HeldResource>[] = [
  {
    id: "resource",
    header: texts.resource,
    width: "minmax(140px, 2fr)",
    cell: ({ name }) => <span className="ar-tn-strong">{name}</span>,
  },
  {
    id: "type",
    header: texts.type,
    width: "minmax(140px, 1fr)",
    cell: ({ resource_type }) => <span className="ar-soft ar-mono">{resource_type}</span>,
  },
  {
    id: "spec",
    header: texts.spec,
    width: "minmax(110px, 1fr)",
    from: "sm",
    cell: ({ spec }) => {
      const known = specKindOf(spec);
      if (known === undefined) return spec;
      return (
        <Anchor component={Link} href={translatorPaths.spec(known.kind, known.name)}>
          {known.name}
        </Anchor>
      );
    },
  },
  {
    id: "updated",
    header: texts.updated,
    width: "minmax(120px, 1fr)",
    from: "md",
    cell: ({ updated_at }) => <Instant iso={updated_at} />,
  },
];

/** Splits `<kind>/<name>`; undefined for any other text. */
function specKindOf(spec: string): SpecReference | undefined {
  const [kind, ...rest] = spec.split("/");
  const name = rest.join("/");
  return kind === "Agent" || kind === "RAGPipeline" ? { kind, name } : undefined;
}
