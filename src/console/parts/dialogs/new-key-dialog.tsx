import { TextInput } from "@mantine/core";
import { useState } from "react";
import { SecretDialog } from "./secret-dialog.tsx";
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
  expires: string;
  expiresHint: string;
}

interface NewKeyDialogProps {
  texts: NewKeyTexts;
  /** `expires`: a UTC day, or undefined for a key without an end. */
  create: (name: string, expires: string | undefined) => Promise<CreatedKey>;
  made: () => void;
  close: () => void;
}

/** Creates a key and shows it once. */
export function NewKeyDialog({ texts, create, made, close }: NewKeyDialogProps) {
  const [name, setName] = useState("");
  const [expires, setExpires] = useState("");
  return (
    <SecretDialog<CreatedKey>
      title={(key) => (key === undefined ? texts.create : texts.createdTitle(key.name))}
      action={texts.createAction}
      isComplete={name.trim() !== ""}
      create={() => create(name, expires === "" ? undefined : expires)}
      created={made}
      close={close}
      shown={({ secret }) => <SecretOnce texts={texts} secret={secret} close={close} />}
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
      <TextInput
        label={texts.expires}
        description={texts.expiresHint}
        type="date"
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
    </SecretDialog>
  );
}
