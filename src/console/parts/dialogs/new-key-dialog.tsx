import { TextInput } from "@mantine/core";
import { useState } from "react";
import { Dialog } from "./dialog.tsx";
import { DialogForm } from "./form-dialog.tsx";
import { SecretOnce, type SecretTexts } from "./secret-once.tsx";

/** A new key with its secret, which the server shows only once. */
interface CreatedKey {
  name: string;
  secret: string;
}

interface NewKeyTexts extends SecretTexts {
  create: string;
  createAction: string;
  createdTitle: (name: string) => string;
  name: string;
  nameHint: string;
}

interface NewKeyDialogProps {
  texts: NewKeyTexts;
  create: (name: string) => Promise<CreatedKey>;
  made: () => void;
  close: () => void;
}

/** Creates a key and shows it once. While it is shown, a click outside does not close the dialog. */
export function NewKeyDialog({ texts, create, made, close }: NewKeyDialogProps) {
  const [name, setName] = useState("");
  const [key, setKey] = useState<CreatedKey>();
  return (
    <Dialog
      opened
      onClose={close}
      title={key === undefined ? texts.create : texts.createdTitle(key.name)}
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
    >
      {key === undefined ? (
        <DialogForm
          action={texts.createAction}
          isComplete={name.trim() !== ""}
          send={async () => setKey(await create(name))}
          sent={made}
          cancel={close}
        >
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            required
            maxLength={100}
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </DialogForm>
      ) : (
        <SecretOnce texts={texts} secret={key.secret} close={close} />
      )}
    </Dialog>
  );
}
