import { SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { SideScroll } from "../../parts/layout/side-scroll.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { kindTexts, coverageMatrixTexts as texts } from "../../texts/translator/translator.ts";
import { CoverageBadge } from "../coverage-badge.tsx";
import { useTranslator } from "../use-translator.ts";

const providers = [
  { value: "gcp", label: "Google Cloud" },
  { value: "aws", label: "Amazon Web Services" },
] as const;

/** Coverage of each section of a manifest by a provider. */
export default function CoveragePage() {
  const translator = useTranslator();
  const [chosen, choose] = useUrlState("provider");
  const provider = providers.find(({ value }) => value === chosen)?.value ?? "gcp";
  const query = useQuery({
    queryKey: ["translator", "coverage", provider],
    queryFn: () => translator.coverage(provider),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <SegmentedControl
          size="xs"
          aria-label={texts.provider}
          value={provider}
          data={[...providers]}
          onChange={(value) => choose(value === "gcp" ? "" : value)}
        />
      </PageHeader>
      <Loaded query={query}>
        {({ sections }) => (
          <div className="ar-panel">
            <SideScroll>
              <PlainTable
                label={texts.title}
                rows={sections}
                keyOf={({ kind, section }) => `${kind} ${section}`}
                columns={[
                  {
                    id: "section",
                    header: texts.section,
                    cell: ({ section, kind, detail }) => (
                      <>
                        <span className="ar-mono ar-break">{section}</span>{" "}
                        <span className="ar-soft">{kindTexts[kind]}</span>
                        {detail !== "" && <div className="ar-soft ar-break">{detail}</div>}
                      </>
                    ),
                  },
                  {
                    id: "coverage",
                    header: texts.coverage,
                    cell: ({ coverage }) => <CoverageBadge coverage={coverage} />,
                  },
                  {
                    id: "resources",
                    header: texts.resources,
                    from: "lg",
                    className: "ar-mono ar-break",
                    cell: ({ resources }) => resources.join(", "),
                  },
                ]}
              />
            </SideScroll>
          </div>
        )}
      </Loaded>
    </>
  );
}
