import { useParams } from "wouter";
import { addCollectionTool } from "../../builder/manifest/collection-tool.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { agentsTexts } from "../../texts/studio/agents.ts";
import { agentPaths } from "./agent-paths.ts";
import { StudioBuilder } from "./studio-builder.tsx";
import { useAgentEditor, useIsPersisted, useStoredManifest } from "./use-agent-editor.ts";

/** Edits an agent: its manifest as a form and as YAML. With `?collection=`, the unsaved text searches the collection. */
export default function EditAgentPage() {
  const { name = "" } = useParams<{ name: string }>();
  const [collection] = useUrlState("collection");
  const { schema, agents, save, read, take, create } = useAgentEditor();
  const manifest = useStoredManifest(name);
  const isPersisted = useIsPersisted(name);
  const isReady = manifest.data !== undefined && schema.data !== undefined;
  return (
    <>
      {!isReady && (
        <PageHeader title={texts.title(name)} up={{ href: agentPaths.list, label: agentsTexts.title }} />
      )}
      <Loaded query={manifest}>
        {(manifestNow) => (
          <Loaded query={schema}>
            {(agentSchema) => (
              <StudioBuilder
                stored={{
                  name,
                  isPersisted,
                  save: (text, tag) => save(name, text, tag),
                  read: () => read(name),
                  take: (theirs) => take(name, theirs),
                }}
                initial={manifestNow}
                begun={
                  collection === "" ? manifestNow.value : addCollectionTool(manifestNow.value, collection)
                }
                schema={agentSchema}
                taken={agents.data?.agents.map((agent) => agent.name) ?? []}
                create={create}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}
