import { partTexts } from "../../texts/parts.ts";
import { CopyButton } from "./copy-button.tsx";

/** An id in the details of a thing, to copy. Everywhere else a thing is shown by its name. */
export function IdText({ id }: { id: string }) {
  return (
    <span data-id-text>
      <span className="ar-mono ar-break">{id}</span> <CopyButton value={id} label={partTexts.copy} />
    </span>
  );
}
