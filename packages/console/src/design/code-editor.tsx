import { json as jsonLanguage } from "@codemirror/lang-json";
import { foldGutter, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

const LOOK = EditorView.theme({
  "&": {
    backgroundColor: "transparent",
    color: "var(--color-ink)",
    fontSize: "var(--text-xs)",
    maxHeight: "28rem",
  },
  "&.cm-focused": { outline: "none" },
  "&:has(:focus-visible)": { outline: "2px solid var(--color-accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { padding: "0.625rem 0", caretColor: "var(--color-accent)" },
  ".cm-line": { padding: "0 0.75rem" },
  ".cm-gutters + .cm-content .cm-line": { padding: "0 0.5rem" },
  ".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--color-ink-faint)" },
  ".cm-foldPlaceholder": { background: "var(--color-hover)", border: "none", color: "var(--color-ink-soft)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--color-selected)" },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--color-accent)" },
  { tag: tags.string, color: "var(--color-good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--color-warn)" },
  { tag: tags.punctuation, color: "var(--color-ink-faint)" },
]);

export interface CodeEditorProps {
  label: string;
  code: string;
  json: boolean;
}

/**
 * CodeMirror in a shadow root: there it hands its rules over as constructed style sheets, where in the page it would write
 * a <style>, which the Content-Security-Policy forbids.
 */
export default function CodeEditor({ label, code, json }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);

  useEffect(() => {
    const host = place.current;
    if (host === null) return undefined;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const extensions: Extension[] = [
      LOOK,
      syntaxHighlighting(COLOURS),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
    ];
    if (json) extensions.push(jsonLanguage(), lineNumbers(), foldGutter());
    view.current = new EditorView({ doc: code, extensions, root, parent: root });
    return () => view.current?.destroy();
    // The text itself is handed over below, without losing the place where one reads.
  }, [label, json]);

  useEffect(() => {
    const { current } = view;
    if (current === undefined || current.state.doc.toString() === code) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: code } });
  }, [code]);

  return <div ref={place} />;
}
