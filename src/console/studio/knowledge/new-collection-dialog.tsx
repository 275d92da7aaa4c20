import { Autocomplete, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { collectionName } from "../../documents/collection-name.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { documentTexts } from "../../texts/documents.ts";
import { knowledgeTexts as texts } from "../../texts/studio/knowledge.ts";
import { useDaemon } from "../use-daemon.ts";
import { knowledgeKeys, knowledgePaths } from "./knowledge-paths.ts";

/** Opens the page of the collection for an upload, even if the collection does not exist yet. */
export function NewCollectionDialog({ close }: { close: () => void }) {
  const daemon = useDaemon();
  const pipelines = useQuery({ queryKey: knowledgeKeys.pipelines, queryFn: daemon.listPipelines });
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const isName = collectionName.test(name);
  const known = new Set(pipelines.data?.pipelines.map(({ collection }) => collection));
  return (
    <FormDialog
      title={texts.newCollection}
      action={texts.open}
      isComplete={isName}
      close={close}
      send={async () => go(knowledgePaths.collection(name))}
    >
      <Text>{texts.newCollectionText}</Text>
      <Autocomplete
        label={texts.name}
        required
        data-autofocus
        data={[...known]}
        error={name === "" || isName ? undefined : documentTexts.nameFault}
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}
