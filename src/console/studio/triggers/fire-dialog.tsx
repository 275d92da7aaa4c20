import { JsonInput, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TriggerSummary } from "../../../contracts/daemon/triggers.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { triggerTexts as texts } from "../../texts/studio/triggers.ts";
import { useDaemon } from "../use-daemon.ts";

/** Fires a trigger by hand, with a payload in place of an event's. */
export function FireDialog({
  trigger: { agent, name },
  close,
}: {
  trigger: TriggerSummary;
  close: () => void;
}) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [payload, setPayload] = useState("{}");
  const read = readJson(payload);
  return (
    <FormDialog
      title={texts.fireTitle(name)}
      action={texts.fire}
      close={close}
      isComplete={read !== undefined}
      send={async () => {
        await daemon.fireTrigger(agent, name, { payload: read?.json });
        notify(texts.fired(name));
        await queries.invalidateQueries({ queryKey: ["daemon", "triggers"] });
      }}
    >
      <Text component="div">{texts.fireText}</Text>
      <JsonInput
        label={texts.payload}
        value={payload}
        onChange={setPayload}
        error={read === undefined ? texts.notJson : undefined}
        autosize
        minRows={4}
        maxRows={16}
      />
    </FormDialog>
  );
}

function readJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
