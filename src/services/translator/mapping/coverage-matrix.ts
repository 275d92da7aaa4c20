import type { CoverageMatrix } from "../../../contracts/translator/coverage.ts";
import type { SpecKind } from "../../../contracts/translator/translation.ts";
import type { CloudProvider } from "./cloud-provider.ts";
import type { SectionTable } from "./section-table.ts";

/** Returns how a cloud covers every section of both kinds of manifests, from the tables that translate them. */
export function coverageOf({ id, title, agent, pipeline }: CloudProvider): CoverageMatrix {
  return {
    provider: id,
    title,
    sections: [...sectionsOf("Agent", agent), ...sectionsOf("RAGPipeline", pipeline)],
  };
}

function sectionsOf<Manifest>(
  kind: SpecKind,
  { sections }: SectionTable<Manifest>,
): CoverageMatrix["sections"] {
  return sections.map(({ section, coverage, detail, into = {} }) => ({
    kind,
    section,
    coverage,
    resources: Object.keys(into),
    detail: detail?.({ names: ["…"] }) ?? "",
  }));
}
