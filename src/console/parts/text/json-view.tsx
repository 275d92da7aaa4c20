import { partTexts } from "../../texts/parts.ts";
import { CopyButton } from "./copy-button.tsx";

/** Shows a value as JSON text to read and copy, never as markup. */
export function JsonView({
  value,
  maxHeight = 320,
  label,
}: {
  value: unknown;
  maxHeight?: number;
  label: string;
}) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "undefined");
  return (
    <div className="ar-json">
      <div className="ar-json-copy">
        <CopyButton value={text} label={partTexts.copy} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: it holds no fields, and a region each would crowd the list of landmarks */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <div role="group" tabIndex={0} aria-label={label} className="ar-json-text" style={{ maxHeight }}>
        <pre>{text}</pre>
      </div>
    </div>
  );
}
