import type { Extension } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";

/** Reaches into an editor from outside of it. */
export interface ViewHandle {
  extension: Extension;
  /** Puts the cursor there and shows it; lines and columns count from 1. */
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
