import type { Extension } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";

/** Access to an editor from outside. */
export interface ViewHandle {
  extension: Extension;
  /** Moves the cursor to a place and scrolls it into view; lines and columns start at 1. */
  goTo(line: number, column?: number): void;
}

export function createViewHandle(): ViewHandle {
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
