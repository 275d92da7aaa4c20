import type { Extension } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";
import { useMemo, useRef } from "react";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { ProblemList } from "../../parts/states/problem-list.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import type { Schema } from "../manifest/schema-at.ts";
import { yamlCompletion } from "./yaml-completion.ts";

interface YamlPaneProps {
  text: string;
  onChange: (text: string) => void;
  problems: readonly ProblemBody[];
  schema: Schema;
}

/** The manifest as text, with faults at their lines, and completion. */
export function YamlPane({ text, onChange, problems, schema }: YamlPaneProps) {
  const handle = useRef<ViewHandle>(undefined);
  handle.current ??= createViewHandle();
  const { extension, goTo } = handle.current;
  const extensions = useMemo(() => [extension, yamlCompletion(schema)], [extension, schema]);
  return (
    <div className="ar-edit-yaml">
      <CodeEditor
        language="yaml"
        value={text}
        onChange={onChange}
        label={texts.yamlLabel}
        faults={problems}
        extensions={extensions}
        minHeight={320}
      />
      <div aria-live="polite" className="ar-edit-problems">
        <ProblemList problems={problems} goTo={goTo} />
      </div>
      <p className="ar-soft ar-edit-keys">{texts.keys}</p>
    </div>
  );
}

/** Access to an editor from outside. */
interface ViewHandle {
  extension: Extension;
  /** Moves the cursor to a place and scrolls it into view; lines and columns start at 1. */
  goTo(line: number, column?: number): void;
}

function createViewHandle(): ViewHandle {
  let view: EditorView | undefined;
  return {
    extension: ViewPlugin.define((made) => {
      view = made;
      return {};
    }),
    goTo(line, column = 1) {
      if (view === undefined) return;
      const { doc } = view.state;
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const anchor = Math.min(at.from + column - 1, at.to);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
  };
}
