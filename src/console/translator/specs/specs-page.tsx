import { Anchor, Button } from "@mantine/core";
import { Link } from "wouter";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { CursorTable } from "../../parts/tables/cursor-table.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { kindTexts, specTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { useTranslator } from "../use-translator.ts";

/** The stored manifests, by kind and name. */
export default function SpecsPage() {
  const translator = useTranslator();
  const create = (
    <Button component={Link} href={translatorPaths.newSpec}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        {create}
      </PageHeader>
      <div className="ar-panel">
        <CursorTable
          label={texts.title}
          columns={columns}
          queryKey={["translator", "specs"]}
          read={translator.listSpecs}
          rowsOf={({ specs }) => specs}
          keyOf={({ kind, name }) => `${kind}/${name}`}
          empty={<EmptyState title={texts.noneTitle} text={texts.none} />}
        />
      </div>
    </>
  );
}

const columns: readonly Column<SpecReference>[] = [
  {
    id: "name",
    header: texts.name,
    width: "minmax(140px, 2fr)",
    cell: ({ kind, name }) => (
      <Anchor component={Link} href={translatorPaths.spec(kind, name)} fw={600}>
        {name}
      </Anchor>
    ),
  },
  { id: "kind", header: texts.kind, width: "minmax(110px, 1fr)", cell: ({ kind }) => kindTexts[kind] },
];
