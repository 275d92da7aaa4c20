import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { SubmittedSpec } from "../../../contracts/translator/translation.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { SideScroll } from "../../parts/layout/side-scroll.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { specPageTexts as texts } from "../../texts/translator/translator.ts";
import { useTranslator } from "../use-translator.ts";
import { graphOf } from "./bindings.ts";
import { DependencyGraph } from "./dependency-graph.tsx";
import { GapList, ResourceTable } from "./translation-tables.tsx";

/** Translation of a manifest for a provider: resources, their dependencies, and gaps. */
export function TranslationView({ spec, provider }: { spec: SubmittedSpec; provider: string }) {
  const translator = useTranslator();
  const query = useQuery({
    queryKey: ["translator", "translate", provider, spec.yaml],
    queryFn: () => translator.translate(spec.yaml, provider),
  });
  return (
    <Loaded query={query} rows={4}>
      {({ resources, gaps }) => {
        const nodes = graphOf(spec, resources);
        return (
          <div className="ar-stack">
            <Panel title={texts.resources} flush>
              <ResourceTable resources={resources} />
            </Panel>
            {nodes.some(({ depth }) => depth > 0) && (
              <Panel title={texts.graph}>
                <Text size="sm" className="ar-soft">
                  {texts.graphHint}
                </Text>
                <SideScroll>
                  <DependencyGraph nodes={nodes} />
                </SideScroll>
              </Panel>
            )}
            <Panel title={texts.gaps}>
              <GapList gaps={gaps} />
            </Panel>
          </div>
        );
      }}
    </Loaded>
  );
}
