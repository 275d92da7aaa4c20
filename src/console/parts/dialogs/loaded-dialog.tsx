import type { ReactNode } from "react";
import { Loaded, type LoadedQuery } from "../states/loaded.tsx";
import { Dialog } from "./dialog.tsx";

interface LoadedDialogProps<Data> {
  title: string;
  query: LoadedQuery<Data>;
  close: () => void;
  /** The dialog itself. */
  children: (data: Data) => ReactNode;
}

/** A dialog over data that it reads first: until then a dialog that says that it loads, or why it can't. */
export function LoadedDialog<Data>({ title, query, close, children }: LoadedDialogProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <Dialog opened onClose={close} title={title}>
      <Loaded query={query}>{() => null}</Loaded>
    </Dialog>
  );
}
