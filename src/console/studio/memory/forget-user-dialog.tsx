import { Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { memoryTexts as texts } from "../../texts/studio/resources.ts";
import { useDaemon } from "../use-daemon.ts";
import { memoryKeys } from "./memory-paths.ts";

interface ForgetUserDialogProps {
  agent: string;
  hasTexts: boolean;
  hasEpisodes: boolean;
  close: () => void;
}

/** Deletes the memory of one user, after the user's id was typed twice. */
export function ForgetUserDialog({ agent, hasTexts, hasEpisodes, close }: ForgetUserDialogProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [user, setUser] = useState("");
  const [again, setAgain] = useState("");
  return (
    <FormDialog
      title={texts.forgetUserTitle}
      action={texts.forgetUser}
      isComplete={user !== "" && user === again}
      close={close}
      send={async () => {
        const gone = hasTexts ? (await daemon.forgetMemory(agent, { user })).texts : 0;
        const past = hasEpisodes ? (await daemon.forgetEpisodes(agent, { user })).episodes : 0;
        await queries.invalidateQueries({ queryKey: memoryKeys.of(agent) });
        notify(texts.forgotUser(gone, past));
      }}
    >
      <Text>{texts.forgetUserText}</Text>
      <TextInput
        label={texts.user}
        description={texts.userHint}
        required
        autoComplete="off"
        data-autofocus
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
      />
      <TextInput
        label={texts.typeUser}
        required
        autoComplete="off"
        value={again}
        onChange={(event) => setAgain(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
