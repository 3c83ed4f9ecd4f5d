import { isHeading } from './template-fill.rules.ts';

/** The whole text of a template, filled in, as it is printed: headings, paragraphs, and lines to write on. It is not shown on a screen. */
export function TemplatePaper({ content, text }: { content: string; text: string }) {
  // A heading that a name was put into is still one.
  const headings = content.split('\n').map(isHeading);
  return (
    <div className="paper">
      {text.split('\n').map((line, at) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other name than their place.
        if (headings[at]) return <h3 key={at}>{line}</h3>;
        // biome-ignore lint/suspicious/noArrayIndexKey: as above.
        return line === '' ? null : <p key={at}>{line}</p>;
      })}
    </div>
  );
}
