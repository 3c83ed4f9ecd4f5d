import { previewOf } from './template-fill.rules.ts';

/** The beginning of a text on a small sheet. */
export function TemplatePreview({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="template-preview noprint" aria-label={label} tabIndex={0}>
      <pre>{previewOf(text)}</pre>
    </section>
  );
}
