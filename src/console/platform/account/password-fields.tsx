import { PasswordInput } from "@mantine/core";
import { accountTexts as texts } from "../../texts/platform/account.ts";

export interface TypedPasswords {
  current: string;
  next: string;
}

interface PasswordFieldsProps {
  value: TypedPasswords;
  change: (value: TypedPasswords) => void;
}

/** Shortest password that the platform takes. */
const lengthMin = 8;

export const arePasswordsTyped = ({ current, next }: TypedPasswords): boolean =>
  current !== "" && next.length >= lengthMin;

/** The current password and the new one. */
export const PasswordFields = ({ value, change }: PasswordFieldsProps) => (
  <>
    <PasswordInput
      label={texts.current}
      required
      autoComplete="current-password"
      data-autofocus
      value={value.current}
      onChange={(event) => change({ ...value, current: event.currentTarget.value })}
    />
    <PasswordInput
      label={texts.next}
      description={texts.nextHint}
      required
      autoComplete="new-password"
      value={value.next}
      onChange={(event) => change({ ...value, next: event.currentTarget.value })}
    />
  </>
);
