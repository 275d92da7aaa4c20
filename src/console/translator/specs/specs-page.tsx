import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { SideScroll } from "../../parts/layout/side-scroll.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { kindTexts, specTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { useTranslator } from "../use-translator.ts";

/** The stored manifests. */
export default function SpecsPage() {
  const translator = useTranslator();
  const query = useQuery({ queryKey: ["translator", "specs"], queryFn: () => translator.listSpecs() });
  const create = (
    <Button component={Link} href={translatorPaths.newSpec}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        {query.data !== undefined && query.data.specs.length > 0 && create}
      </PageHeader>
      <Loaded query={query} rows={3}>
        {({ specs }) =>
          specs.length === 0 ? (
            <EmptyState title={texts.noneTitle} text={texts.none}>
              {create}
            </EmptyState>
          ) : (
            <div className="ar-panel">
              <SideScroll>
                <PlainTable
                  label={texts.title}
                  rows={specs}
                  keyOf={({ kind, name }) => `${kind}/${name}`}
                  columns={[
                    {
                      id: "name",
                      header: texts.name,
                      cell: ({ kind, name }) => (
                        <Anchor
                          component={Link}
                          href={translatorPaths.spec(kind, name)}
                          fw={600}
                          className="ar-break"
                        >
                          {name}
                        </Anchor>
                      ),
                    },
                    { id: "kind", header: texts.kind, cell: ({ kind }) => kindTexts[kind] },
                  ]}
                />
              </SideScroll>
            </div>
          )
        }
      </Loaded>
    </>
  );
}
