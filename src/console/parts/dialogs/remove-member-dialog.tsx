import { Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import { memberKeyTexts as texts } from "../../texts/parts.ts";
import { FailureView } from "../states/failure-view.tsx";
import { Dialog } from "./dialog.tsx";
import { DialogForm } from "./form-dialog.tsx";

interface RemoveMemberDialogProps {
  title: string;
  text: string;
  action: string;
  /** Names of the API keys that the member made; undefined until they are known. */
  keys: readonly string[] | undefined;
  /** Why the keys could not be read. */
  failure: unknown;
  /** False for members who leave: the keys that they made end with their membership. */
  mayKeep: boolean;
  close: () => void;
  remove: (keepKeys: boolean) => Promise<unknown>;
}

/** Removes a member or lets one leave, and shows the API keys that are revoked or kept with it. */
export function RemoveMemberDialog({
  title,
  text,
  action,
  keys,
  failure,
  mayKeep,
  close,
  remove,
}: RemoveMemberDialogProps) {
  const [keepKeys, setKeepKeys] = useState(false);
  return (
    <Dialog opened onClose={close} title={title}>
      <DialogForm
        action={action}
        send={() => remove(keepKeys)}
        sent={close}
        cancel={close}
        isComplete={keys !== undefined}
        isDanger
      >
        <Text component="div">{text}</Text>
        {keys === undefined && failure !== null && <FailureView thrown={failure} />}
        {keys !== undefined && keys.length > 0 && (
          <>
            <Text component="div">{keepKeys ? texts.kept : texts.revoked}</Text>
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
