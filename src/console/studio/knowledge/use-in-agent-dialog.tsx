import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { collectionTexts as texts } from "../../texts/studio/knowledge.ts";
import { agentPaths } from "../agents/agent-paths.ts";
import { useDaemon } from "../use-daemon.ts";

/** Asks for the agent that shall search the collection, and opens its editor with the tool added. */
export function UseInAgentDialog({ collection, close }: { collection: string; close: () => void }) {
  const daemon = useDaemon();
  const [, go] = useLocation();
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const [agent, setAgent] = useState<string | null>(null);
  return (
    <FormDialog
      title={texts.useTitle(collection)}
      action={texts.openEditor}
      isComplete
      close={close}
      send={async () => go(agentPaths.withCollection(collection, agent ?? undefined))}
    >
      <Select
        label={texts.agent}
        description={texts.agentHint}
        placeholder={texts.newAgent}
        searchable
        clearable
        data={agents.data?.agents.map(({ name }) => name) ?? []}
        value={agent}
        onChange={setAgent}
      />
    </FormDialog>
  );
}
