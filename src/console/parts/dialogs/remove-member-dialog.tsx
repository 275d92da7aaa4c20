import { Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import { memberKeyTexts as texts } from "../../texts/parts.ts";
import { Dialog } from "./dialog.tsx";
import { DialogForm } from "./form-dialog.tsx";

interface RemoveMemberDialogProps {
  title: string;
  text: string;
  action: string;
  /** Names of the API keys that the member made. */
  keys: readonly string[];
  /** False for members who leave: the keys that they made end with their membership. */
  mayKeep: boolean;
  close: () => void;
  remove: (keepKeys: boolean) => Promise<unknown>;
}

/** Removes a member or lets one leave, and shows the API keys that are revoked with it. */
export function RemoveMemberDialog({
  title,
  text,
  action,
  keys,
  mayKeep,
  close,
  remove,
}: RemoveMemberDialogProps) {
  const [keepKeys, setKeepKeys] = useState(false);
  return (
    <Dialog opened onClose={close} title={title}>
      <DialogForm action={action} send={() => remove(keepKeys)} sent={close} cancel={close} isDanger>
        <Text component="div">{text}</Text>
        {keys.length > 0 && (
          <>
            <Text component="div">{texts.revoked}</Text>
            <ul className="ar-break">
              {keys.map((key, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes
                <li key={index}>{key}</li>
              ))}
            </ul>
            {mayKeep && (
              <Checkbox
                label={texts.keep}
                description={texts.keepHint}
                checked={keepKeys}
                onChange={(event) => setKeepKeys(event.currentTarget.checked)}
              />
            )}
          </>
        )}
      </DialogForm>
    </Dialog>
  );
}
