import { type FormEvent, useState } from "react";

/** State of a form that is sent once at a time. Shows why the last attempt failed. */
export function useSubmit(send: () => Promise<unknown>) {
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  return {
    failure,
    isBusy,
    async submit(event: FormEvent) {
      event.preventDefault();
      setBusy(true);
      try {
        await send();
        setFailure(undefined);
      } catch (thrown) {
        setFailure(thrown);
      } finally {
        setBusy(false);
      }
    },
  };
}
