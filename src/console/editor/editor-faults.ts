import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";

/** Something wrong in the text; lines and columns count from 1, as problems of the services do. */
export interface EditorFault {
  message: string;
  line?: number;
  column?: number;
}

/** Marks the faults at their lines; one without a line stands at the first. */
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
