import { Icon } from "../../parts/icon.tsx";
import { JsonView } from "../../parts/text/json-view.tsx";
import { traceTexts as texts } from "../../texts/studio/runs.ts";

interface MessageViewProps {
  speaker: string;
  content: string;
  calls?: readonly { id: string; name: string; input: Record<string, unknown> }[];
  note?: string;
}

/** One message to or from the model, as plain text. */
export function MessageView({ speaker, content, calls = [], note }: MessageViewProps) {
  const name = texts.roles[speaker] ?? speaker;
  return (
    <div className="ar-message" data-role={speaker}>
      <div className="ar-message-head">
        <span className="ar-label">{name}</span>
        {note !== undefined && <span className="ar-soft ar-break">{note}</span>}
      </div>
      {content === "" && calls.length === 0 && <p className="ar-soft ar-flat">{texts.noText}</p>}
      {content !== "" && (
        // biome-ignore lint/a11y/useSemanticElements: it holds no fields, and a region each would crowd the list of landmarks
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <div role="group" className="ar-message-text" tabIndex={0} aria-label={name}>
          <pre className="ar-raw">{content}</pre>
        </div>
      )}
      {calls.map(({ id, name: tool, input }) => (
        <div key={id} className="ar-message-call">
          <div className="ar-mark">
            <Icon name="tool" size={14} />
            <span className="ar-mono">{texts.wantsCall(tool)}</span>
          </div>
          <JsonView value={input} label={`${tool}: ${texts.input}`} maxHeight={180} />
        </div>
      ))}
    </div>
  );
}
