import { FileInput, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { evalKeys } from "./eval-keys.ts";

/** Adds the cases of a CSV or JSONL file to an eval. */
export function ImportDialog({ name, close }: { name: string; close: () => void }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  return (
    <FormDialog
      title={texts.importTitle}
      action={texts.importAction}
      close={close}
      isComplete={file !== null}
      send={async () => {
        if (file === null) return;
        const format = file.name.toLowerCase().endsWith(".csv") ? "csv" : "jsonl";
        const { ids } = await daemon.addEvalCases(name, { format, text: await file.text() });
        notify(texts.imported(ids.length));
        await queries.invalidateQueries({ queryKey: evalKeys.all });
      }}
    >
      <Text className="ar-soft">{texts.importHint}</Text>
      <FileInput
        label={texts.importFile}
        accept=".csv,.jsonl,text/csv,application/jsonl"
        value={file}
        onChange={setFile}
        clearable
      />
    </FormDialog>
  );
}
