import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";

/** A fault in the text; lines and columns start at 1, as in the services' problems. */
export interface EditorFault {
  message: string;
  line?: number;
  column?: number;
}

/** Marks the faults at their lines; a fault without a line is marked at the first. */
export function showFaults(view: EditorView, faults: readonly EditorFault[]): void {
  const { doc } = view.state;
  const diagnostics = faults.map(({ message, line = 1, column }): Diagnostic => {
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const indent = at.text.length - at.text.trimStart().length;
    const from = Math.min(at.from + (column === undefined ? indent : column - 1), at.to);
    return { from, to: at.to, severity: "error", message };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}
