import { Text } from "@mantine/core";
import { useState } from "react";
import type { CloudResource, Gap } from "../../../contracts/translator/translation.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { JsonView } from "../../parts/text/json-view.tsx";
import { specPageTexts as texts } from "../../texts/translator/translator.ts";
import { CoverageBadge } from "../coverage-badge.tsx";
import { bindingsOf } from "./bindings.ts";

/** Resources with the section they come from, what they need, and their config. */
export function ResourceTable({ resources }: { resources: readonly CloudResource[] }) {
  const [shown, show] = useState<CloudResource>();
  return (
    <>
      <PlainTable
        label={texts.resources}
        rows={resources}
        keyOf={({ resource_type, name }) => `${resource_type} ${name}`}
        empty={<Text className="ar-soft ar-panel-body">{texts.noResources}</Text>}
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
            id: "section",
            header: texts.section,
            from: "md",
            className: "ar-mono ar-break",
            cell: ({ source_section }) => source_section,
          },
          {
            id: "needs",
            header: texts.needs,
            from: "md",
            cell: (resource) => {
              const needs = bindingsOf(resource);
              if (needs.length === 0) return <span className="ar-soft">{texts.nothing}</span>;
              return needs.map((reference) => (
                <div key={reference} className="ar-break" title={reference}>
                  {reference.split("/").slice(3).join("/")}
                </div>
              ));
            },
          },
          {
            id: "config",
            header: texts.config,
            hidesHeader: true,
            align: "end",
            cell: (resource) => (
              <RowButton
                label={texts.show}
                title={texts.showConfig(resource.name)}
                onClick={() => show(resource)}
              />
            ),
          },
        ]}
      />
      <Dialog
        opened={shown !== undefined}
        onClose={() => show(undefined)}
        size="xl"
        title={texts.configTitle(shown?.name ?? "")}
      >
        <JsonView value={shown?.config ?? {}} label={texts.config} maxHeight={520} />
      </Dialog>
    </>
  );
}

/** Sections that the cloud does not take over whole, with what is lost and what to do. */
export function GapList({ gaps }: { gaps: readonly Gap[] }) {
  if (gaps.length === 0) return <Text className="ar-soft">{texts.noGaps}</Text>;
  return (
    <ul className="ar-tr-changes" aria-label={texts.gaps}>
      {gaps.map(({ section, coverage, detail }) => (
        <li key={`${section} ${detail}`}>
          <div className="ar-tr-change">
            <CoverageBadge coverage={coverage} />
            <span className="ar-mono ar-break">{section}</span>
          </div>
          <Text className="ar-soft ar-break">{detail}</Text>
        </li>
      ))}
    </ul>
  );
}
