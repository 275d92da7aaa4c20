import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Connection } from "../../../../contracts/platform/connections.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../../parts/notices.tsx";
import { connectionTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { MaterialFields } from "./material-fields.tsx";
import { emptyRow, type MaterialRow, materialFault, materialOf } from "./material-rows.ts";

interface ConnectionDialogProps {
  tenantId: string;
  /** Absent for a new connection. */
  connection: Connection | undefined;
  /** Names of the tenant's connections; a new one can't have any of them. */
  taken: readonly string[];
  saved: () => Promise<unknown>;
  close: () => void;
}

/** Creates a connection, or replaces one with all its secrets. Existing secrets are never shown, so they cannot be kept in part. */
export function ConnectionDialog({ tenantId, connection, taken, saved, close }: ConnectionDialogProps) {
  const platform = usePlatform(tenantId);
  const [name, setName] = useState(connection?.name ?? "");
  const [baseUrl, setBaseUrl] = useState(connection?.base_url ?? "");
  const [rows, setRows] = useState<MaterialRow[]>([emptyRow(0, texts.firstSecret)]);
  const fault = materialFault(rows);
  // The new connection itself is listed before the dialog closes.
  const [isSaved, setSaved] = useState(false);
  const isTaken = connection === undefined && !isSaved && taken.includes(name);
  const send = async () => {
    const address = baseUrl.trim();
    await platform.putConnection(name, {
      base_url: address,
      material: materialOf(rows),
    });
    setSaved(true);
    await saved();
    notify(texts.saved(name));
  };
  return (
    <FormDialog
      size="lg"
      title={connection === undefined ? texts.add : texts.replaceTitle(connection.name)}
      action={connection === undefined ? texts.save : texts.replaceAction}
      isComplete={fault === undefined && name !== "" && baseUrl.trim() !== "" && !isTaken}
      close={close}
      send={send}
    >
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        error={isTaken ? texts.nameTaken(name) : undefined}
        required
        readOnly={connection !== undefined}
        maxLength={63}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={texts.baseUrl}
        description={texts.baseUrlHint}
        type="url"
        required
        maxLength={2048}
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.currentTarget.value)}
      />
      <MaterialFields rows={rows} change={setRows} />
      <Text size="sm" className="ar-soft" aria-live="polite">
        {fault === undefined ? "" : texts.faults[fault]}
      </Text>
    </FormDialog>
  );
}
