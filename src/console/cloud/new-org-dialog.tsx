import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { FormDialog } from "../parts/dialogs/form-dialog.tsx";
import { notify } from "../parts/notices.tsx";
import { orgTexts as texts } from "../texts/cloud/cloud.ts";
import { orgPaths } from "./cloud-paths.ts";
import { useCloud } from "./use-cloud.ts";

/** Creates an org and shows its agents. */
export function NewOrgDialog({ close }: { close: () => void }) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [name, setName] = useState("");
  return (
    <FormDialog
      title={texts.createTitle}
      action={texts.createAction}
      isComplete={name.trim() !== ""}
      close={close}
      send={async () => {
        const org = await cloud.createOrg(name);
        await queries.invalidateQueries({ queryKey: ["cloud"] });
        notify(texts.created(org.display_name));
        go(orgPaths(org.slug).agents);
      }}
    >
      <TextInput
        label={texts.displayName}
        description={texts.displayNameHint}
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
