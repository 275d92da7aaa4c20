import { useState } from "react";

/** The agent that the address names. */
export const agentName = new URLSearchParams(location.search).get("agent") ?? "assistant";

/** The line in which a person writes. */
export function Composer({ isBusy, onSend }: { isBusy: boolean; onSend: (text: string) => void }) {
  const [text, setText] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "" || isBusy) return;
        onSend(text);
        setText("");
      }}
    >
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button disabled={isBusy}>Send</button>
    </form>
  );
}

/** Asks a person whether a tool may be called. */
export function Approval({ tool, onAnswer }: { tool: string; onAnswer: (approved: boolean) => void }) {
  return (
    <p>
      May the agent call <code>{tool}</code>?{" "}
      <button type="button" onClick={() => onAnswer(true)}>
        Allow
      </button>{" "}
      <button type="button" onClick={() => onAnswer(false)}>
        Refuse
      </button>
    </p>
  );
}
