import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { Annotation, type ChangeSpec, Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { type EditorLanguage, editorSetup } from "./editor-setup.ts";

export interface CodeMirrorViewProps {
  value: string;
  /** Absent: read-only. */
  onChange?: (value: string) => void;
  language: EditorLanguage;
  /** Name of the text for screen readers. */
  label: string;
  /** Faults, marked at their lines. */
  faults?: readonly EditorFault[];
  /** Extensions such as completion; must stay the same object. */
  extensions?: Extension;
  minHeight?: number;
  /** Scrolls beyond this height. */
  maxHeight?: number | string;
}

/**
 * Marks a change that came in by `value`. It is not reported: a form beside the editor may have typed on meanwhile, and would be set back to
 * this older text.
 */
const fromOutside = Annotation.define<true>();

/** CodeMirror in React. The editor has its own document, and replaces it when `value` changes from outside. */
export default function CodeMirrorView(props: CodeMirrorViewProps) {
  const { value, onChange, language, label, faults, extensions, minHeight = 160, maxHeight } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;
  const setup = useRef(new Compartment());
  const isReadOnly = onChange === undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what may change later is set below
  useEffect(() => {
    if (place.current === null) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          setup.current.of(editorSetup({ language, label, isReadOnly, extensions })),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.some((one) => one.docChanged && !one.annotation(fromOutside));
            if (isOwn) changed.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);

  useEffect(() => {
    view.current?.dispatch({
      effects: setup.current.reconfigure(editorSetup({ language, label, isReadOnly, extensions })),
    });
  }, [language, label, isReadOnly, extensions]);

  useEffect(() => {
    const { current } = view;
    if (current === undefined) return;
    const changes = differenceOf(current.state.doc.toString(), value);
    if (changes !== undefined) current.dispatch({ changes, annotations: fromOutside.of(true) });
  }, [value]);

  useEffect(() => {
    if (view.current !== undefined) showFaults(view.current, faults ?? []);
  }, [faults]);

  return (
    <div
      ref={place}
      className="ar-editor"
      style={{ minHeight, ...(maxHeight === undefined ? {} : { maxHeight }) }}
    />
  );
}

/** Returns the single range in which two texts differ. Text around it keeps its place, and so does the cursor. */
function differenceOf(before: string, after: string): ChangeSpec | undefined {
  if (before === after) return undefined;
  const longest = Math.min(before.length, after.length);
  let from = 0;
  while (from < longest && before[from] === after[from]) from++;
  let end = 0;
  while (end < longest - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** A fault in the text; lines and columns start at 1, as in the services' problems. */
interface EditorFault {
  message: string;
  line?: number;
  column?: number;
}

/** Marks the faults at their lines; a fault without a line is marked at the first. */
function showFaults(view: EditorView, faults: readonly EditorFault[]): void {
  const { doc } = view.state;
  const diagnostics = faults.map(({ message, line = 1, column }): Diagnostic => {
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const indent = at.text.length - at.text.trimStart().length;
    const from = Math.min(at.from + (column === undefined ? indent : column - 1), at.to);
    return { from, to: at.to, severity: "error", message };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}
