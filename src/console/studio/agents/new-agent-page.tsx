import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { changeManifest } from "../../builder/manifest/change-manifest.ts";
import { addCollectionTool } from "../../builder/manifest/collection-tool.ts";
import { freeName } from "../../builder/manifest/manifest-checks.ts";
import type { Schema } from "../../builder/manifest/schema-at.ts";
import { starterManifest } from "../../builder/manifest/starter-manifest.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { agentsTexts } from "../../texts/studio/agents.ts";
import { useDaemon } from "../use-daemon.ts";
import { agentPaths } from "./agent-paths.ts";
import { StudioBuilder } from "./studio-builder.tsx";
import { useAgentEditor } from "./use-agent-editor.ts";

/** Creates an agent: a copy of a gallery agent (`?from=`), one that searches a collection (`?collection=`), or a minimal one. */
export default function NewAgentPage() {
  const daemon = useDaemon();
  const [from] = useUrlState("from");
  const { schema, agents } = useAgentEditor();
  const gallery = useQuery({
    queryKey: ["daemon", "gallery"],
    queryFn: daemon.gallery,
    enabled: from !== "",
  });
  const begin = (agentSchema: Schema, taken: readonly string[], template: string | undefined) => (
    <NewAgent key={from} schema={agentSchema} taken={taken} from={from} template={template} />
  );
  const isReady =
    schema.data !== undefined && agents.data !== undefined && (from === "" || gallery.data !== undefined);
  return (
    <>
      {!isReady && (
        <PageHeader title={texts.newTitle} up={{ href: agentPaths.list, label: agentsTexts.title }} />
      )}
      <Loaded query={schema}>
        {(agentSchema) => (
          <Loaded query={agents}>
            {({ agents: present }) => {
              const taken = present.map(({ name }) => name);
              if (from === "") return begin(agentSchema, taken, undefined);
              return (
                <Loaded query={gallery}>
                  {({ agents: shipped }) =>
                    begin(agentSchema, taken, shipped.find(({ name }) => name === from)?.manifest)
                  }
                </Loaded>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

interface NewAgentProps {
  schema: Schema;
  taken: readonly string[];
  from: string;
  template: string | undefined;
}

function NewAgent({ schema, taken, from, template }: NewAgentProps) {
  const { create } = useAgentEditor();
  const [collection] = useUrlState("collection");
  // The initial text stays the same, even if agents are added meanwhile.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names of the first moment count
  const initial = useMemo(() => {
    const name = freeName(template === undefined ? "assistant" : from, taken);
    const text = () => {
      if (template !== undefined) return changeManifest(template, ["metadata", "name"], name);
      const starter = starterManifest(name);
      return collection === "" ? starter : addCollectionTool(starter, collection);
    };
    return { value: text(), tag: undefined };
  }, [from, template, collection]);
  return (
    <StudioBuilder
      initial={initial}
      beginning={from === "" ? collection : from}
      schema={schema}
      taken={taken}
      create={create}
    />
  );
}
